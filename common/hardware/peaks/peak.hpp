// SPDX-License-Identifier: Apache-2.0
// The peak rate of a piece of hardware, or the reason why it is unknown.
#pragma once

#include <string>
#include <utility>

namespace scalemark::hardware {

struct Peak {
  double value = 0;     ///< B/s, flop/s or Hz; 0 if unknown
  std::string source;   ///< "PCIe 5.0 x16, theoretical", "data sheet of NVIDIA H200", "--peak"
  std::string missing;  ///< why the value is unknown; empty if it is known

  bool is_known() const { return value > 0; }
};

inline Peak unknown_peak(std::string reason) { return {0, {}, std::move(reason)}; }

}  // namespace scalemark::hardware
