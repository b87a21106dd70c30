// SPDX-License-Identifier: Apache-2.0
// Weighted least squares of a line, with weights 1 / y^2.
#include "common/stats/relative_line.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace scalemark::stats {
namespace {

double squares_of(const RelativeLine& line, std::span<const double> x, std::span<const double> y) {
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double residual = (line(x[i]) - y[i]) / y[i];
    squares += residual * residual;
  }
  return squares;
}

bool usable(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size() || x.size() < 2) return false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(x[i] >= 0 && y[i] > 0) || std::isinf(x[i]) || std::isinf(y[i])) return false;
  }
  return std::ranges::any_of(x, [&](double value) { return value != x[0]; });
}

}  // namespace

std::optional<RelativeLine> fit_relative_line(std::span<const double> x,
                                              std::span<const double> y) {
  if (!usable(x, y)) return std::nullopt;
  // Divided by y, the line becomes offset * u + slope * v = 1 with u = 1 / y, v = x / y.
  double u = 0, v = 0, weight = 0, center = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    u += 1 / y[i];
    v += x[i] / y[i];
    weight += 1 / (y[i] * y[i]);
    center += x[i] / (y[i] * y[i]);
  }
  center /= weight;
  const double level = u / weight;  // weighted mean of y
  double spread = 0, product = 0, vv = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double w = 1 / (y[i] * y[i]);
    spread += w * (x[i] - center) * (x[i] - center);
    product += w * (x[i] - center) * (y[i] - level);
    vv += w * x[i] * x[i];
  }
  RelativeLine line;
  line.slope = product / spread;
  line.offset = level - line.slope * center;
  if (line.slope < 0) {
    line = {level, 0};
  } else if (line.offset < 0) {
    line = {0, v / vv};
  }
  line.squares = squares_of(line, x, y);
  return line;
}

}  // namespace scalemark::stats
