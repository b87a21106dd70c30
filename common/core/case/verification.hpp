// SPDX-License-Identifier: Apache-2.0
// What a benchmark says about checking its data.
#pragma once

#include <cstdint>
#include <functional>

namespace scalemark {

/// Elements that a check compared, and those that were wrong.
struct Checked {
  std::uint64_t checked = 0, wrong = 0;

  Checked& operator+=(const Checked& other) {
    checked += other.checked;
    wrong += other.wrong;
    return *this;
  }
};

/// Verification in several rounds with different data, since one round may pass by chance. Each
/// round fills the inputs, runs the operation and checks the result.
struct VerificationRounds {
  std::function<void(int round)> fill;
  std::function<Checked(int round)> check;
  int count = 4;
  /// The operation leaves its inputs intact: then the last timed result is checked too.
  bool inputs_stay = true;
};

}  // namespace scalemark
