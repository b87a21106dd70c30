// SPDX-License-Identifier: Apache-2.0
// Adaptive shrinkage: a mixture of normal distributions of which only the weights are fitted.
#include "common/stats/effect_mixture.hpp"

#include <algorithm>
#include <cmath>

#include "common/stats/summary.hpp"

namespace scalemark::stats {
namespace {

constexpr int kSteps = 100;
/// Smallest width, in median standard errors. Narrower components cannot be distinguished from a
/// point.
constexpr double kMinWidth = 2;
/// Standard error of a median / that of a mean, and the number of standard errors that count as
/// significant.
constexpr double kMedianError = 1.2533;
constexpr double kBeyondChance = 2;
/// Prior weight of all components together, in rows. It keeps all components possible if there are
/// few rows.
constexpr double kStartingRows = 1;

std::vector<EffectPart> parts_for(std::span<const MeasuredEffect> rows, double tau) {
  std::vector<double> differences, errors;
  double most = 0;
  for (const MeasuredEffect& row : rows) {
    differences.push_back(row.difference);
    errors.push_back(row.standard_error);
    most = std::max(most, 2 * std::abs(row.difference));
  }
  const double least = std::max(median(errors), tau / 4);
  most = std::max({most, 4 * least, 4 * tau});
  std::vector<double> centers = {0};
  const double middle = median(differences);
  // Even without an effect, the median of noisy values is not exactly 0.
  const double error = kMedianError * least / std::sqrt(static_cast<double>(rows.size()));
  if (std::abs(middle) > kBeyondChance * error) centers.push_back(middle);
  std::vector<EffectPart> parts;
  for (const double center : centers) {
    parts.push_back({center, 0, 0});
    for (double width = kMinWidth * least; width < 1.5 * most; width *= 2)
      parts.push_back({center, width * width, 0});
  }
  for (EffectPart& part : parts) part.weight = 1 / static_cast<double>(parts.size());
  return parts;
}

/// Density of Student's t at the measured difference, without its constant factor. The scale
/// combines component width and standard error.
double likelihood(const MeasuredEffect& row, const EffectPart& part) {
  const double square = part.variance + row.standard_error * row.standard_error;
  const double away = row.difference - part.center;
  const double exponent = std::isinf(row.df)
                              ? -away * away / square / 2
                              : -(row.df + 1) / 2 * std::log1p(away * away / square / row.df);
  return std::exp(exponent) / std::sqrt(square);
}

}  // namespace

std::vector<EffectPart> fit_effects(std::span<const MeasuredEffect> rows, double tau) {
  std::vector<EffectPart> parts = parts_for(rows, tau);
  const auto count = static_cast<double>(parts.size());
  std::vector<std::vector<double>> likelihoods;
  for (const MeasuredEffect& row : rows) {
    std::vector<double>& own = likelihoods.emplace_back();
    for (const EffectPart& part : parts) own.push_back(likelihood(row, part));
  }
  for (int step = 0; step < kSteps; ++step) {
    std::vector<double> weights(parts.size(), kStartingRows / count);
    for (const std::vector<double>& own : likelihoods) {
      double sum = 0;
      for (std::size_t k = 0; k < parts.size(); ++k) sum += parts[k].weight * own[k];
      if (!(sum > 0)) continue;
      for (std::size_t k = 0; k < parts.size(); ++k) weights[k] += parts[k].weight * own[k] / sum;
    }
    double total = 0;
    for (const double weight : weights) total += weight;
    for (std::size_t k = 0; k < parts.size(); ++k) parts[k].weight = weights[k] / total;
  }
  return parts;
}

}  // namespace scalemark::stats
