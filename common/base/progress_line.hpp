// SPDX-License-Identifier: Apache-2.0
// The line that tells how far a command has come: rewritten in place on a terminal.
#pragma once

#include <cstdint>

namespace scalemark {

/// Back to the first column, and nothing in the line.
inline constexpr const char* kEraseLine = "\r\x1b[2K";
/// Nanoseconds between two texts of the line on a terminal, and between two lines elsewhere.
inline constexpr std::uint64_t kRewriteEvery = 200'000'000, kLineEvery = 10'000'000'000;

}  // namespace scalemark
