// SPDX-License-Identifier: Apache-2.0
// What a number of runs can find, before or after they were made. On the log scale.
#pragma once

namespace scalemark::stats {

/// The difference beyond the threshold that a one-sided test at `alpha` finds with probability
/// `power`: (t_alpha + t_power) sqrt(variance (1/runs_a + 1/runs_b)).
double detectable(double variance, double df, int runs_a, int runs_b, double alpha = 0.05,
                  double power = 0.8);

/// The inverse: the chance that a one-sided test at `alpha` finds a difference that is `beyond` the
/// threshold.
double power_of(double beyond, double variance, double df, int runs_a, int runs_b,
                double alpha = 0.05);

/// The least number of runs on each side with detectable() <= tau, and so with a good chance to
/// tell no change, the threshold, and twice the threshold apart. `prior_df` are borrowed degrees of
/// freedom (0 = none). At most 1000, which stands for "1000 or more".
int runs_needed(double variance, double prior_df, double tau, double alpha = 0.05);

}  // namespace scalemark::stats
