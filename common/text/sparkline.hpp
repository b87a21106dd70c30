// SPDX-License-Identifier: Apache-2.0
// A row of numbers drawn as a row of characters.
#pragma once

#include <span>
#include <string>

namespace scalemark::text {

/// One character a value, from -limit (lowest) over 0 (middle) to +limit (highest); values beyond
/// are at the ends, NaN is '?'. Blocks of Unicode, or _.-=+*# from low to high.
std::string spark_line(std::span<const double> values, double limit, bool utf8);

}  // namespace scalemark::text
