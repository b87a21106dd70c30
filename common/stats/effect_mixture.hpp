// SPDX-License-Identifier: Apache-2.0
// Distribution of the true differences over the rows of a table: a mixture of normal distributions.
// Most rows are near zero or near the common shift of the run; some are far away.
#pragma once

#include <span>
#include <vector>

namespace scalemark::stats {

/// One component: a normal distribution, or a point if the variance is 0.
struct EffectPart {
  double center = 0, variance = 0, weight = 0;
};

/// A measured difference with its standard error and degrees of freedom.
struct MeasuredEffect {
  double difference = 0, standard_error = 0, df = 0;
};

/// Fits the weights of normal components with fixed widths to all rows, by expectation
/// maximisation, as in adaptive shrinkage (Stephens 2017). Components are centred at 0, and at the
/// median difference if that differs significantly from 0. `tau` is the threshold: much smaller
/// widths are left out. Requires at least one row.
std::vector<EffectPart> fit_effects(std::span<const MeasuredEffect> rows, double tau);

}  // namespace scalemark::stats
