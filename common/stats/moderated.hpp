// SPDX-License-Identifier: Apache-2.0
// Comparison of two groups with few runs each: moderated t-test (Smyth 2004), Welch's t-test, and
// p-values from either.
#pragma once

#include <optional>
#include <span>

#include "common/stats/summary.hpp"

namespace scalemark::stats {

/// One row of a comparison: summary of the runs of both sides. Variances that cannot be computed
/// are NaN.
struct Contrast {
  double difference = 0;  ///< mean of B - mean of A
  int runs_a = 0, runs_b = 0;
  double variance_a = 0, variance_b = 0;  ///< of one run, for each side
  double variance = 0;                    ///< of one run, pooled over both sides

  int df() const { return runs_a + runs_b - 2; }
};

/// Summary of two groups. Values that are not finite are left out; nothing if a side has no values.
std::optional<Contrast> contrast(std::span<const double> a, std::span<const double> b);

/// The same row with each variance at least `floor`, which is what the timer's resolution allows.
Contrast with_floor(Contrast row, double floor);

/// Prior of the rows' variances: scaled inverse chi-square distribution.
struct Prior {
  double df = 0;  ///< infinite: all rows have the same variance
  double variance = 0;
};

/// A variance and its degrees of freedom.
struct SampleVariance {
  double variance = 0, df = 0;
};

/// Fits the prior to all rows by the moments of log variances (empirical Bayes; Smyth 2004, section
/// 6.2; fitFDist of limma). Rows need df > 0 and a finite variance; nothing if there are none.
std::optional<Prior> fit_prior(std::span<const SampleVariance> rows);
std::optional<Prior> fit_prior(std::span<const Contrast> rows);

/// Limit for the prior's degrees of freedom, so that a row with a large variance keeps it.
inline constexpr double kMaxPriorDf = 20;
/// The prior with at most `most_df` degrees of freedom and unchanged variance.
Prior capped(Prior prior, double most_df = kMaxPriorDf);

/// What a test needs.
struct Estimate {
  double difference = 0;
  double standard_error = 0;
  double df = 0;
  double variance = 0;  ///< of one run
};

/// Estimate for a difference whose squared standard error is `scale` x the variance of one run. The
/// variance is shrunk towards the prior. `df_limit` bounds the degrees of freedom, as in limma: the
/// total over all rows, or infinity for a prior stored with a baseline.
Estimate moderated(double difference, const SampleVariance& own, double scale, const Prior& prior,
                   double df_limit);
Estimate moderated(const Contrast& row, const Prior& prior, double df_limit);

/// Welch's test with Satterthwaite's degrees of freedom. Nothing if a side has only one run.
std::optional<Estimate> welch(const Contrast& row);

/// Two-sided p-value of "no difference".
double p_different(const Estimate& estimate);
/// Two-sided p-value of "the difference is within +-tau": TREAT (McCarthy and Smyth 2009). The sign
/// of the difference gives the direction.
double p_beyond(const Estimate& estimate, double tau);
/// One-sided p-value of "the difference is at most tau" (McCarthy and Smyth). For the other
/// direction, negate the difference.
double p_more_than(const Estimate& estimate, double tau);
/// p-value of "the difference is outside +-tau": two one-sided tests (Schuirmann 1987).
double p_outside(const Estimate& estimate, double tau);
/// Confidence interval of the difference, at confidence level `level`.
Interval confidence_interval(const Estimate& estimate, double level);

}  // namespace scalemark::stats
