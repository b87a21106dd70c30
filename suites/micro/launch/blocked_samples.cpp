// SPDX-License-Identifier: Apache-2.0
// Repeats samples whose blocking kernel gave up, with a limit.
#include "suites/micro/launch/blocked_samples.hpp"

#include "common/base/error.hpp"

namespace scalemark::micro {
namespace {

constexpr int kMaxConsecutive = 10;

}  // namespace

std::uint64_t BlockedSamples::take(const std::function<std::optional<std::uint64_t>()>& attempt) {
  for (int i = 0; i < kMaxConsecutive; ++i) {
    if (const std::optional<std::uint64_t> sample = attempt()) return *sample;
    ++discarded_;
  }
  throw Error(
      "the blocking kernel timed out ten times in a row: the calls enqueued behind it block the "
      "host");
}

}  // namespace scalemark::micro
