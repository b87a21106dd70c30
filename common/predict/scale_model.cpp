// SPDX-License-Identifier: Apache-2.0
// Least squares for each term, and the choice among them by leaving out one point after the other.
#include "common/predict/scale_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "common/base/error.hpp"

namespace scalemark::predict {
namespace {

constexpr std::size_t kMinPoints = 5;
/// A smaller part of the values counts as 0 (Extra-P's epsilon and minimum term contribution).
constexpr double kNegligible = 0.0005;

struct Term {
  double power;
  int log_power;
};

/// Extra-P's default terms: n / d and the power of the logarithm.
const std::vector<Term>& terms() {
  static const std::vector<Term> all = [] {
    struct Group {
      int numerator, denominator, most_logs;  ///< logarithms from 0 to most_logs
    };
    constexpr std::array<Group, 20> kGroups{
        {{1, 4, 2}, {1, 3, 2}, {1, 2, 2}, {2, 3, 2},  {3, 4, 2}, {4, 5, 0}, {1, 1, 2},
         {5, 4, 1}, {4, 3, 1}, {3, 2, 2}, {5, 3, 0},  {7, 4, 0}, {2, 1, 2}, {9, 4, 0},
         {7, 3, 0}, {5, 2, 2}, {8, 3, 0}, {11, 4, 0}, {3, 1, 1}, {0, 1, 2}}};
    std::vector<Term> made;
    for (const auto& [numerator, denominator, most_logs] : kGroups) {
      for (int logs = numerator == 0 ? 1 : 0; logs <= most_logs; ++logs)
        made.push_back({static_cast<double>(numerator) / denominator, logs});
    }
    return made;
  }();
  return all;
}

double value_of(const Term& term, double ranks) {
  double value = std::pow(ranks, term.power);
  for (int i = 0; i < term.log_power; ++i) value *= std::log2(ranks);
  return value;
}

struct Line {
  double constant = 0, slope = 0;
};

/// Least squares of y = constant + slope x over all points but `left_out`.
Line fit_line(std::span<const double> x, std::span<const double> y, std::size_t left_out) {
  long double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
  long double count = 0;
  const auto each = [&](const auto& use) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (i != left_out) use(static_cast<long double>(x[i]), static_cast<long double>(y[i]));
    }
  };
  each([&](long double one_x, long double one_y) {
    mean_x += one_x;
    mean_y += one_y;
    ++count;
  });
  mean_x /= count;
  mean_y /= count;
  each([&](long double one_x, long double one_y) {
    xx += (one_x - mean_x) * (one_x - mean_x);
    xy += (one_x - mean_x) * (one_y - mean_y);
  });
  const long double slope = xy / xx;
  return {static_cast<double>(mean_y - slope * mean_x), static_cast<double>(slope)};
}

/// Symmetric relative difference, a fraction.
double difference(double predicted, double measured) {
  const double both = std::abs(predicted) + std::abs(measured);
  return both == 0 ? 0 : 2 * std::abs(predicted - measured) / both;
}

/// A constant that is next to nothing beside the least value is taken for 0.
double cleaned(double constant, std::span<const double> values, std::size_t left_out) {
  double least = INFINITY;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i != left_out) least = std::min(least, values[i]);
  }
  const double part = least == 0 ? constant : constant / least;
  return std::abs(part) < kNegligible ? 0 : constant;
}

/// A point by the line of the others.
double from_others(std::span<const double> x, std::span<const double> y, std::size_t point) {
  const Line line = fit_line(x, y, point);
  return cleaned(line.constant, y, point) + line.slope * x[point];
}

/// %.
double cross_validated(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += difference(from_others(x, y, i), y[i]);
  return 100 * sum / static_cast<double>(x.size());
}

double log_error(double predicted, double measured) {
  return predicted > 0 && measured > 0 ? std::abs(std::log(measured / predicted)) : INFINITY;
}

double worst_of_lines(std::span<const double> x, std::span<const double> y) {
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    worst = std::max(worst, log_error(from_others(x, y, i), y[i]));
  return worst;
}

ScaleModel constant_model(std::span<const double> values) {
  double sum = 0, error = 0, worst = 0;
  for (const double value : values) sum += value;
  const auto count = static_cast<double>(values.size());
  const double mean = sum / count;
  for (const double value : values) {
    error += difference(mean, value);
    worst = std::max(worst, log_error((sum - value) / (count - 1), value));
  }
  return {.constant = mean, .error = 100 * error / count, .worst_error = worst};
}

bool contributes(const Line& line, std::span<const double> x, std::span<const double> y) {
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    most = std::max(most, std::abs(line.slope * x[i] / y[i]));
  return line.slope != 0 && most >= kNegligible;
}

}  // namespace

double ScaleModel::at(double ranks) const {
  if (power == 0 && log_power == 0) return constant;
  return constant + coefficient * value_of({power, log_power}, ranks);
}

ScaleModel fit_scale_model(std::span<const double> ranks, std::span<const double> values) {
  if (ranks.size() != values.size() || ranks.size() < kMinPoints)
    throw Error("a scaling model needs at least 5 numbers of ranks, each with its value");
  const auto is_finite = [](double one) { return std::isfinite(one); };
  if (!std::ranges::all_of(ranks, is_finite) || !std::ranges::all_of(values, is_finite))
    throw Error("a scaling model needs finite values");
  ScaleModel best = constant_model(values);
  if (std::ranges::all_of(values, [&](double one) { return one == values[0]; })) return best;
  const bool takes_logs = std::ranges::none_of(ranks, [](double one) { return one < 1; });
  std::vector<double> x(ranks.size());
  for (const Term& term : terms()) {
    if (term.log_power > 0 && !takes_logs) continue;
    std::ranges::transform(ranks, x.begin(), [&](double one) { return value_of(term, one); });
    const double error = cross_validated(x, values);
    const Line line = fit_line(x, values, x.size());
    // Written so that NaN is not taken.
    if (!(error < best.error) || !contributes(line, x, values)) continue;
    best = {.constant = line.constant,
            .coefficient = line.slope,
            .power = term.power,
            .log_power = term.log_power,
            .error = error,
            .worst_error = worst_of_lines(x, values)};
  }
  return best;
}

}  // namespace scalemark::predict
