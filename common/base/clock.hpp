// SPDX-License-Identifier: Apache-2.0
// The host clock used for measurements.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace scalemark {

/// Nanoseconds of CLOCK_MONOTONIC, which is one clock for all processes of a node.
inline std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

/// Measured median cost of one now_ns() call, in ns.
double clock_cost_ns();

/// Current UTC time as ISO 8601 with milliseconds: 2026-01-31T12:00:00.000Z.
std::string utc_now();

/// Seconds since 1970 of a text in the form of utc_now(); nothing for any other text.
std::optional<double> utc_seconds(const std::string& stamp);

}  // namespace scalemark
