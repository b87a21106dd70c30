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
      "a kernel that waits for the host gave up ten times in a row: what is behind it makes the "
      "host wait, too");
}

}  // namespace scalemark::micro
