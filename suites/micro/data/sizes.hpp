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

}  // namespace scalemark::micro
