// SPDX-License-Identifier: Apache-2.0
// Special values: NaN means "no value", infinite degrees of freedom mean "known exactly".
#pragma once

#include <limits>

namespace scalemark::stats {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace scalemark::stats
