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

/// A variance and the degrees of freedom that it rests on.
struct SampleVariance {
  double variance = 0, df = 0;
};

/// Empirical Bayes fit by the moments of log variances (Smyth 2004, section 6.2; as limma's
/// fitFDist) over rows with df > 0 and a finite variance. Nothing without such rows.
std::optional<Prior> fit_prior(std::span<const SampleVariance> rows);
std::optional<Prior> fit_prior(std::span<const Contrast> rows);

/// Few enough borrowed degrees of freedom that a wild row stays wild.
inline constexpr double kMaxPriorDf = 20;
/// The prior with its degrees of freedom limited, its variance as it is.
Prior capped(Prior prior, double most_df = kMaxPriorDf);

/// What a test rests on.
struct Estimate {
  double difference = 0;
  double standard_error = 0;
  double df = 0;
  double variance = 0;  ///< of one run
};

/// A difference whose squared standard error is `scale` times a variance of one run, which is
/// shrunk towards the prior. `df_limit`: the degrees of freedom of all rows together, which bound
/// those of one (limma); infinite for a prior from elsewhere, as one stored with a baseline.
Estimate moderated(double difference, const SampleVariance& own, double scale, const Prior& prior,
                   double df_limit);
Estimate moderated(const Contrast& row, const Prior& prior, double df_limit);

/// Welch's test (Satterthwaite's degrees of freedom). Nothing if a side has one run.
std::optional<Estimate> welch(const Contrast& row);

/// p of "no difference", two-sided.
double p_different(const Estimate& estimate);
/// p of "the difference is within +-tau", two-sided: TREAT (McCarthy and Smyth 2009). The direction
/// is the sign of the difference.
double p_beyond(const Estimate& estimate, double tau);
/// p of "the difference is at most tau", one-sided, as McCarthy and Smyth's test of one direction.
/// For the other direction negate the difference.
double p_more_than(const Estimate& estimate, double tau);
/// p of "the difference is outside +-tau": two one-sided tests (Schuirmann 1987).
double p_outside(const Estimate& estimate, double tau);
/// Interval of the difference that holds it with probability `level`.
Interval confidence_interval(const Estimate& estimate, double level);

}  // namespace scalemark::stats
