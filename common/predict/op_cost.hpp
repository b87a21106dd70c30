// SPDX-License-Identifier: Apache-2.0
// The time of an operation that was not measured itself, from measured ones of its family.
#pragma once

#include <map>
#include <optional>

namespace scalemark::predict {

/// Time at `size`, from times of the same operation at other sizes, by size: on the straight line
/// between the logarithms of the two that enclose it. Empty outside of the measured sizes, and for
/// sizes or times that are not positive.
std::optional<double> interpolated(const std::map<double, double>& seconds, double size);

}  // namespace scalemark::predict
