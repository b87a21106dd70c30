// SPDX-License-Identifier: Apache-2.0
// Speed-up, efficiency, serial fraction and Amdahl's law.
#include "common/stats/scaling.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

#include "common/stats/distributions.hpp"
#include "common/stats/limits.hpp"
#include "common/stats/relative_line.hpp"

namespace scalemark::stats {
namespace {

/// Satterthwaite's degrees of freedom of a sum of two variances. A variance of 0 adds nothing.
double combined_df(const ScalePoint& x, const ScalePoint& y) {
  const auto part = [](const ScalePoint& point) {
    return point.log_variance > 0 ? point.log_variance * point.log_variance / point.df : 0.0;
  };
  const double sum = x.log_variance + y.log_variance;
  return sum > 0 ? sum * sum / (part(x) + part(y)) : kInfinity;
}

}  // namespace

Interval LogRatio::interval(double level) const {
  if (log_variance == 0) return {value, value};
  const double reach = student_t_quantile(0.5 + level / 2, df) * std::sqrt(log_variance);
  return {value * std::exp(-reach), value * std::exp(reach)};
}

LogRatio speed_up(const ScalePoint& base, const ScalePoint& point) {
  return {base.time / point.time, base.log_variance + point.log_variance, combined_df(base, point)};
}

LogRatio strong_efficiency(const ScalePoint& base, const ScalePoint& point) {
  LogRatio ratio = speed_up(base, point);
  ratio.value *= base.workers / point.workers;
  return ratio;
}

LogRatio weak_efficiency(const ScalePoint& base, const ScalePoint& point) {
  return speed_up(base, point);
}

Interval SerialFraction::interval(double level) const {
  if (standard_error == 0) return {value, value};
  const double reach = student_t_quantile(0.5 + level / 2, df) * standard_error;
  return {value - reach, value + reach};
}

std::optional<SerialFraction> karp_flatt(const ScalePoint& base, const ScalePoint& point) {
  const double inverse = base.workers / point.workers;
  if (!(inverse < 1)) return std::nullopt;
  const LogRatio ratio = speed_up(base, point);
  return SerialFraction{(1 / ratio.value - inverse) / (1 - inverse),
                        std::sqrt(ratio.log_variance) / ratio.value / (1 - inverse), ratio.df};
}

std::optional<AmdahlFit> fit_amdahl(std::span<const ScalePoint> points) {
  std::vector<double> inverse, times;
  for (const ScalePoint& point : points) {
    inverse.push_back(1 / point.workers);
    times.push_back(point.time);
  }
  const std::optional<RelativeLine> line = fit_relative_line(inverse, times);
  if (!line) return std::nullopt;
  const auto spare = static_cast<double>(points.size()) - 2;
  return AmdahlFit{line->offset, line->slope, spare > 0 ? std::sqrt(line->squares / spare) : 0};
}

}  // namespace scalemark::stats
