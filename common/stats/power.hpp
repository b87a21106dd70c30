// SPDX-License-Identifier: Apache-2.0
// Statistical power: which difference a number of runs can detect. All values on the log scale.
#pragma once

namespace scalemark::stats {

/// The difference beyond the threshold that a one-sided test at `alpha` detects with probability
/// `power`: (t_alpha + t_power) sqrt(variance (1/runs_a + 1/runs_b)).
double detectable(double variance, double df, int runs_a, int runs_b, double alpha = 0.05,
                  double power = 0.8);

/// The inverse of detectable(): probability that a one-sided test at `alpha` detects a difference
/// that is `beyond` the threshold.
double power_of(double beyond, double variance, double df, int runs_a, int runs_b,
                double alpha = 0.05);

/// The smallest number of runs per side with detectable() <= tau. Then "no change", a change by the
/// threshold, and by twice the threshold are likely to be told apart. `prior_df`: degrees of
/// freedom of a prior (0 = none). At most 1000, which means "1000 or more".
int runs_needed(double variance, double prior_df, double tau, double alpha = 0.05);

}  // namespace scalemark::stats
