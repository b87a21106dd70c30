// SPDX-License-Identifier: Apache-2.0
// Tests of two groups on the log scale. docs/measuring/statistics.md derives the formulas.
#include "common/stats/moderated.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/stats/distributions.hpp"
#include "common/stats/limits.hpp"
#include "common/stats/special.hpp"

namespace scalemark::stats {
namespace {

struct Side {
  int runs = 0;
  double mean = 0;
  double squares = 0;  ///< sum of squared deviations from the mean
};

Side side_of(std::span<const double> values) {
  Side side;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    ++side.runs;
    side.mean += value;
  }
  if (side.runs == 0) return side;
  side.mean /= side.runs;
  for (const double value : values) {
    if (std::isfinite(value)) side.squares += (value - side.mean) * (value - side.mean);
  }
  return side;
}

/// P(T > distance / standard error). With a standard error of 0 only the sign of `distance` counts.
double upper(double distance, const Estimate& estimate) {
  if (estimate.standard_error == 0) return distance > 0 ? 0 : 1;
  return student_t_upper(distance / estimate.standard_error, estimate.df);
}

}  // namespace

std::optional<Contrast> contrast(std::span<const double> a, std::span<const double> b) {
  const Side left = side_of(a), right = side_of(b);
  if (left.runs == 0 || right.runs == 0) return std::nullopt;
  Contrast row;
  row.difference = right.mean - left.mean;
  row.runs_a = left.runs;
  row.runs_b = right.runs;
  row.variance_a = left.runs > 1 ? left.squares / (left.runs - 1) : kNan;
  row.variance_b = right.runs > 1 ? right.squares / (right.runs - 1) : kNan;
  row.variance = row.df() > 0 ? (left.squares + right.squares) / row.df() : kNan;
  return row;
}

Contrast with_floor(Contrast row, double floor) {
  for (double* variance : {&row.variance_a, &row.variance_b, &row.variance}) {
    if (*variance < floor) *variance = floor;
  }
  return row;
}

std::optional<Prior> fit_prior(std::span<const Contrast> rows) {
  std::vector<SampleVariance> variances;
  for (const Contrast& row : rows)
    variances.push_back({row.variance, static_cast<double>(row.df())});
  return fit_prior(variances);
}

std::optional<Prior> fit_prior(std::span<const SampleVariance> rows) {
  std::vector<double> variances, dfs;
  for (const SampleVariance& row : rows) {
    if (row.df <= 0 || !std::isfinite(row.variance)) continue;
    variances.push_back(row.variance);
    dfs.push_back(row.df);
  }
  if (variances.empty()) return std::nullopt;
  if (variances.size() == 1) return Prior{0, variances[0]};
  // A variance of 0 has no logarithm. The floor is limma's, relative to the median of the rows.
  const double middle = median(variances);
  const double floor = 1e-5 * (middle > 0 ? middle : 1);
  std::vector<double> logs;
  double sampling = 0;  // expected sampling variance of the log variances
  for (std::size_t i = 0; i < variances.size(); ++i) {
    variances[i] = std::max(variances[i], floor);
    logs.push_back(std::log(variances[i]) - digamma(dfs[i] / 2) + std::log(dfs[i] / 2));
    sampling += trigamma(dfs[i] / 2);
  }
  const double spread = stddev(logs);
  const double excess = spread * spread - sampling / static_cast<double>(logs.size());
  if (excess <= 0) return Prior{kInfinity, mean(variances)};
  const double half = trigamma_inverse(excess);
  return Prior{2 * half, std::exp(mean(logs) + digamma(half) - std::log(half))};
}

Prior capped(Prior prior, double most_df) {
  prior.df = std::min(prior.df, most_df);
  return prior;
}

Estimate moderated(double difference, const SampleVariance& own, double scale, const Prior& prior,
                   double df_limit) {
  Estimate estimate;
  estimate.difference = difference;
  if (own.df <= 0 || std::isinf(prior.df)) {
    estimate.variance = prior.variance;
  } else {
    estimate.variance = (prior.df * prior.variance + own.df * own.variance) / (prior.df + own.df);
  }
  estimate.df = std::min(prior.df + own.df, df_limit);
  estimate.standard_error = std::sqrt(estimate.variance * scale);
  return estimate;
}

Estimate moderated(const Contrast& row, const Prior& prior, double df_limit) {
  return moderated(row.difference, {row.variance, static_cast<double>(row.df())},
                   1.0 / row.runs_a + 1.0 / row.runs_b, prior, df_limit);
}

std::optional<Estimate> welch(const Contrast& row) {
  if (row.runs_a < 2 || row.runs_b < 2) return std::nullopt;
  const double a = row.variance_a / row.runs_a, b = row.variance_b / row.runs_b;
  Estimate estimate;
  estimate.difference = row.difference;
  estimate.standard_error = std::sqrt(a + b);
  const double spread = a * a / (row.runs_a - 1) + b * b / (row.runs_b - 1);
  estimate.df = spread > 0 ? (a + b) * (a + b) / spread : row.df();
  estimate.variance = row.variance;
  return estimate;
}

double p_different(const Estimate& estimate) {
  return std::min(1.0, 2 * upper(std::abs(estimate.difference), estimate));
}

double p_beyond(const Estimate& estimate, double tau) {
  const double size = std::abs(estimate.difference);
  return std::min(1.0, upper(size - tau, estimate) + upper(size + tau, estimate));
}

double p_more_than(const Estimate& estimate, double tau) {
  return upper(estimate.difference - tau, estimate);
}

double p_outside(const Estimate& estimate, double tau) {
  return std::max(upper(tau + estimate.difference, estimate),
                  upper(tau - estimate.difference, estimate));
}

Interval confidence_interval(const Estimate& estimate, double level) {
  const double half = student_t_quantile(0.5 + level / 2, estimate.df) * estimate.standard_error;
  return {estimate.difference - half, estimate.difference + half};
}

}  // namespace scalemark::stats
