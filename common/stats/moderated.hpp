// SPDX-License-Identifier: Apache-2.0
// Two groups of few runs: moderated t (Smyth 2004), Welch's t, and the tests made on either.
#pragma once

#include <optional>
#include <span>

#include "common/stats/summary.hpp"

namespace scalemark::stats {

/// One row of a comparison: what the runs of both sides say. Variances that the runs do not give
/// are NaN.
struct Contrast {
  double difference = 0;  ///< mean of B less mean of A
  int runs_a = 0, runs_b = 0;
  double variance_a = 0, variance_b = 0;  ///< of one run, each side alone
  double variance = 0;                    ///< pooled over the sides

  int df() const { return runs_a + runs_b - 2; }
};

/// Values that are not finite are left out; nothing if a side has none.
std::optional<Contrast> contrast(std::span<const double> a, std::span<const double> b);

/// The same with no variance below `floor`: what a timer of limited resolution cannot show.
Contrast with_floor(Contrast row, double floor);

/// Scaled inverse chi-square prior of the rows' variances.
struct Prior {
  double df = 0;  ///< may be infinite: all rows share one variance
  double variance = 0;
};

/// Empirical Bayes fit by the moments of log variances (Smyth 2004, section 6.2; as limma's
/// fitFDist) over rows with df > 0 and a finite variance. Nothing without such rows.
std::optional<Prior> fit_prior(std::span<const Contrast> rows);

/// What a test rests on.
struct Estimate {
  double difference = 0;
  double standard_error = 0;
  double df = 0;
  double variance = 0;  ///< of one run
};

/// Variance of the row shrunk towards the prior. `df_limit`: the degrees of freedom of all rows
/// together, which bound those of one (limma); infinite for a prior from elsewhere.
Estimate moderated(const Contrast& row, const Prior& prior, double df_limit);

/// Welch's test (Satterthwaite's degrees of freedom). Nothing if a side has one run.
std::optional<Estimate> welch(const Contrast& row);

/// p of "no difference", two-sided.
double p_different(const Estimate& estimate);
/// p of "the difference is within +-tau", two-sided: TREAT (McCarthy and Smyth 2009). The direction
/// is the sign of the difference.
double p_beyond(const Estimate& estimate, double tau);
/// p of "the difference is outside +-tau": two one-sided tests (Schuirmann 1987).
double p_outside(const Estimate& estimate, double tau);
/// Interval of the difference that holds it with probability `level`.
Interval confidence_interval(const Estimate& estimate, double level);

/// The difference beyond the threshold that a one-sided test at `alpha` finds with probability
/// `power`: (t_alpha + t_power) sqrt(variance (1/runs_a + 1/runs_b)).
double detectable(double variance, double df, int runs_a, int runs_b, double alpha = 0.05,
                  double power = 0.8);

/// The least number of runs on each side with detectable() <= tau, and so with a good chance to
/// tell no change, the threshold, and twice the threshold apart. `prior_df` are borrowed degrees of
/// freedom (0 = none). At most 1000, which stands for "1000 or more".
int runs_needed(double variance, double prior_df, double tau);

}  // namespace scalemark::stats
