// SPDX-License-Identifier: Apache-2.0
// Strong and weak scaling with uncertainty. Errors are propagated for the logarithms of times.
#pragma once

#include <optional>
#include <span>

#include "common/stats/summary.hpp"

namespace scalemark::stats {

/// Time with a number of workers. `log_variance` is the variance of ln(time), with `df` degrees of
/// freedom; for the mean of runs it is the variance of one run / number of runs.
struct ScalePoint {
  double workers = 1;
  double time = 0;
  double log_variance = 0;
  double df = 0;
};

/// A ratio with its uncertainty on the log scale.
struct LogRatio {
  double value = 1;
  double log_variance = 0;
  double df = 0;

  /// Confidence interval at confidence level `level`.
  Interval interval(double level = 0.95) const;
};

/// T(base) / T(point), with Satterthwaite's degrees of freedom.
LogRatio speed_up(const ScalePoint& base, const ScalePoint& point);
/// Efficiency for a fixed problem size: speed-up / ratio of workers. If the base has several
/// workers, it is relative to that base.
LogRatio strong_efficiency(const ScalePoint& base, const ScalePoint& point);
/// Efficiency for a problem that grows with the number of workers: T(base) / T(point).
LogRatio weak_efficiency(const ScalePoint& base, const ScalePoint& point);

/// Serial fraction from a speed-up S (Karp and Flatt 1990): (1/S - 1/r) / (1 - 1/r), where r =
/// workers / base workers. Its standard error is (1/S) sd(ln S) / (1 - 1/r). A negative value means
/// better than linear scaling. Nothing for r <= 1.
struct SerialFraction {
  double value = 0, standard_error = 0, df = 0;

  /// Confidence interval at confidence level `level`.
  Interval interval(double level = 0.95) const;
};
std::optional<SerialFraction> karp_flatt(const ScalePoint& base, const ScalePoint& point);

/// Fit of T(p) = serial + parallel / p (Amdahl 1967) by least squares of relative residuals, for at
/// least two different p. Both parts are at least 0.
struct AmdahlFit {
  double serial = 0, parallel = 0;  ///< in the unit of time
  double relative_rms = 0;  ///< root mean square of the relative residuals; 0 for two points

  double serial_fraction() const { return serial / (serial + parallel); }
  /// The fitted time with this number of workers.
  double time(double workers) const { return serial + parallel / workers; }
};
/// Nothing for fewer than two different numbers of workers, or a time that is not positive.
std::optional<AmdahlFit> fit_amdahl(std::span<const ScalePoint> points);

}  // namespace scalemark::stats
