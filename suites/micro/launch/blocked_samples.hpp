// SPDX-License-Identifier: Apache-2.0
// Samples enqueued behind a blocking kernel that may give up.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace scalemark::micro {

/// Repeats samples in which the blocking kernel gave up: the work behind it ran with gaps.
class BlockedSamples {
 public:
  /// `attempt` returns a sample in nanoseconds, or nothing if the kernel gave up. Throws Error
  /// after ten failures in a row: the enqueue calls then wait for the kernel, and the kernel waits
  /// for them.
  std::uint64_t take(const std::function<std::optional<std::uint64_t>()>& attempt);
  /// Number of discarded samples.
  std::int64_t discarded() const { return discarded_; }

 private:
  std::int64_t discarded_ = 0;
};

}  // namespace scalemark::micro
