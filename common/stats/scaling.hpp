// SPDX-License-Identifier: Apache-2.0
// Strong and weak scaling with its uncertainty: errors are propagated on the logarithms of times.
#pragma once

#include <optional>
#include <span>

#include "common/stats/summary.hpp"

namespace scalemark::stats {

/// The time of a number of workers. `log_variance` is the variance of ln(time): for the mean of
/// runs that of one run by their number, with `df` degrees of freedom.
struct ScalePoint {
  double workers = 1;
  double time = 0;
  double log_variance = 0;
  double df = 0;
};

/// A ratio known on the log scale.
struct LogRatio {
  double value = 1;
  double log_variance = 0;
  double df = 0;

  /// Holds the ratio with probability `level`.
  Interval interval(double level = 0.95) const;
};

/// T(base) / T(point); `df` by Satterthwaite.
LogRatio speed_up(const ScalePoint& base, const ScalePoint& point);
/// Of a fixed problem: speed-up by the ratio of workers. With a base of more than one worker,
/// relative to that base.
LogRatio strong_efficiency(const ScalePoint& base, const ScalePoint& point);
/// Of a problem that grows with the workers: T(base) / T(point).
LogRatio weak_efficiency(const ScalePoint& base, const ScalePoint& point);

/// The serial fraction that a speed-up shows (Karp and Flatt 1990): (1/S - 1/r) / (1 - 1/r) with r
/// = workers / base workers. Its standard error is (1/S) sd(ln S) / (1 - 1/r). It may be negative:
/// better than linear. Nothing for r <= 1.
struct SerialFraction {
  double value = 0, standard_error = 0, df = 0;

  Interval interval(double level = 0.95) const;
};
std::optional<SerialFraction> karp_flatt(const ScalePoint& base, const ScalePoint& point);

/// T(p) = serial + parallel / p (Amdahl 1967) by least squares of relative residuals, over two and
/// more numbers of workers. Each part is at least 0.
struct AmdahlFit {
  double serial = 0, parallel = 0;  ///< in the unit of time
  double relative_rms = 0;          ///< of the residuals; 0 for two points

  double serial_fraction() const { return serial / (serial + parallel); }
  double time(double workers) const { return serial + parallel / workers; }
};
/// Nothing with fewer than two different numbers of workers, or a time that is not positive.
std::optional<AmdahlFit> fit_amdahl(std::span<const ScalePoint> points);

}  // namespace scalemark::stats
