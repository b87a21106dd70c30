// SPDX-License-Identifier: Apache-2.0
// Sizes that points state.
#pragma once

#include <cstdint>

#include "common/core/axis.hpp"

namespace scalemark::micro {

/// Axis `bytes` of a point that has it.
inline std::uint64_t bytes_of(const Point& point) {
  return static_cast<std::uint64_t>(point.integer("bytes"));
}

/// Rounds in which a message or window of so many bytes is verified: 4, above 64 MiB only 2.
constexpr int verify_rounds(std::uint64_t bytes) { return bytes > std::uint64_t{64} << 20 ? 2 : 4; }

}  // namespace scalemark::micro
