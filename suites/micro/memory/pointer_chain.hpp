// SPDX-License-Identifier: Apache-2.0
// A chain of loads, each of which has the address of the next one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/core/case/verification.hpp"

namespace scalemark::micro {

/// A chain through a working set: one link a line of 64 B, in random order, so that no prefetcher
/// guesses it. It is the same chain for equal sizes.
class PointerChain {
 public:
  /// `bytes`: at least 64.
  explicit PointerChain(std::uint64_t bytes);

  /// Writes the links into words of the working set: word i of it has the position of the word to
  /// load after it. `words` has at least bytes / 8 of them.
  void write(std::uint64_t* words) const;
  std::uint64_t words() const { return order_.size() * kLine; }
  /// Position of the word where the chain begins.
  std::uint64_t start() const { return order_.front(); }
  /// Whether `at` is the position after `loads` loads from start().
  Checked check(std::uint64_t at, std::uint64_t loads) const {
    return {.checked = 1, .wrong = at == order_[loads % order_.size()] ? 0U : 1U};
  }

 private:
  static constexpr std::uint64_t kLineBytes = 64, kLine = kLineBytes / sizeof(std::uint64_t);
  std::vector<std::uint64_t> order_;
};

}  // namespace scalemark::micro
