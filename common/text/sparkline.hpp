// SPDX-License-Identifier: Apache-2.0
// Sparklines: draws a series of numbers as a line of characters.
#pragma once

#include <span>
#include <string>

namespace scalemark::text {

/// Draws one character per value on seven levels: -limit is the lowest, 0 the middle, +limit the
/// highest. Values outside are drawn at the limits; NaN is '?', and so is everything if `limit` <=
/// 0. Uses Unicode blocks, or _.-=+*# from low to high without `utf8`.
std::string spark_line(std::span<const double> values, double limit, bool utf8);

}  // namespace scalemark::text
