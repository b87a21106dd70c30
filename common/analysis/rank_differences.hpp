// SPDX-License-Identifier: Apache-2.0
// How much longer each rank takes than the others, iteration by iteration.
#pragma once

#include <vector>

#include "common/result/model.hpp"

namespace scalemark::analysis {

/// Values of each rank in the iterations that count by `counting`: neither warm-up nor invalid.
/// Both must have the same ranks and iterations.
std::vector<std::vector<double>> counted_values(const Samples& values, const Samples& counting);

/// Each rank's value minus that of the other rank. With more than two ranks: minus the median over
/// ranks. `values[rank][iteration]`, with as many iterations for each rank.
std::vector<std::vector<double>> differences_to_others(
    const std::vector<std::vector<double>>& values);

}  // namespace scalemark::analysis
