// SPDX-License-Identifier: Apache-2.0
// How the true differences of a table's rows are distributed: most are near zero, or near what
// moved the whole run, some are far from it.
#pragma once

#include <span>
#include <vector>

namespace scalemark::stats {

/// One part of the distribution: normal, or a point where the variance is 0.
struct EffectPart {
  double center = 0, variance = 0, weight = 0;
};

/// A difference that was measured, with its standard error and degrees of freedom.
struct MeasuredEffect {
  double difference = 0, standard_error = 0, df = 0;
};

/// Weights of normal parts of fixed widths, fitted to all rows by expectation maximisation, as in
/// adaptive shrinkage (Stephens 2017). Parts lie about 0, and about the median difference where
/// that is not 0 by chance; `tau` is a size that matters, below which no width is of interest.
/// Needs a row at least.
std::vector<EffectPart> fit_effects(std::span<const MeasuredEffect> rows, double tau);

}  // namespace scalemark::stats
