// SPDX-License-Identifier: Apache-2.0
// Samples behind a kernel that may give up.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace scalemark::micro {

/// Takes samples anew in which the blocking kernel gave up: what ran behind it had gaps.
class BlockedSamples {
 public:
  /// `attempt`: a sample in nanoseconds; nothing if the kernel gave up. Throws Error after ten such
  /// in a row: what was enqueued waits for the kernel, and the kernel for it.
  std::uint64_t take(const std::function<std::optional<std::uint64_t>()>& attempt);
  /// Samples that do not count.
  std::int64_t discarded() const { return discarded_; }

 private:
  std::int64_t discarded_ = 0;
};

}  // namespace scalemark::micro
