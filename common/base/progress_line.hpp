// SPDX-License-Identifier: Apache-2.0
// The progress line of a command, rewritten in place on a terminal.
#pragma once

#include <cstdint>

namespace scalemark {

/// Moves to the first column and clears the line.
inline constexpr const char* kEraseLine = "\r\x1b[2K";
/// Minimum time between two updates, in ns: on a terminal, and elsewhere.
inline constexpr std::uint64_t kRewriteEvery = 200'000'000, kLineEvery = 10'000'000'000;

}  // namespace scalemark
