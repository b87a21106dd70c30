// SPDX-License-Identifier: Apache-2.0
// From the samples of a case to the few numbers that are drawn.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "common/html/extract.hpp"

namespace scalemark::html {

/// Quantiles of the primary metric's iterations at 0, 1/64, .. 1; empty below 8 iterations or where
/// one is no number.
std::vector<float> quantiles_of(const CaseResult& result);

/// Of the time that ranks spend by themselves (local_time, or compute_time less exposed
/// communication), where it is stored, else of the primary duration; nothing below 2 ranks or 8
/// iterations.
std::optional<RankGrid> grid_of(const CaseResult& result);

/// Of a case with step_loss.
std::optional<Training> training_of(const CaseResult& result);

/// Means of about `count` runs of neighbouring values with their smallest and largest; x is the
/// number of the middle one, from 1.
std::vector<Point> bucketed(std::span<const double> values, std::size_t count);

}  // namespace scalemark::html
