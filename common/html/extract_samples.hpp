// SPDX-License-Identifier: Apache-2.0
// Reduces the samples of a case to the numbers that are drawn.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "common/html/extract.hpp"

namespace scalemark::html {

/// Quantiles of the primary metric over iterations at 0, 1/64, .. 1. Empty for less than 8
/// iterations or a value that is not finite.
std::vector<float> quantiles_of(const CaseResult& result);

/// Grid of the ranks' own time (local_time, or compute_time minus exposed communication) if it is
/// stored, else of the primary duration. Empty for less than 2 ranks or 8 iterations.
std::optional<RankGrid> grid_of(const CaseResult& result);

/// Summary of a training; empty without step_loss or step_time.
std::optional<Training> training_of(const CaseResult& result);

/// Splits the values into about `count` groups of neighbours: mean, minimum and maximum of each. x
/// is the position of the middle value, counted from 1.
std::vector<Point> bucketed(std::span<const double> values, std::size_t count);

}  // namespace scalemark::html
