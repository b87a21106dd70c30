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

void RelativeSums::add(double x, double y) {
  RelativeSums one;
  one.count_ = 1;
  one.weight_ = 1 / (y * y);
  one.mean_x_ = x;
  one.mean_y_ = y;
  one.v_ = x / y;
  one.vv_ = one.v_ * one.v_;
  add(one);
}

void RelativeSums::add(const RelativeSums& more) {
  const double weight = weight_ + more.weight_;
  if (!(weight > 0)) return;
  const double dx = more.mean_x_ - mean_x_, dy = more.mean_y_ - mean_y_;
  const double part = more.weight_ / weight, cross = weight_ * part;
  spread_ += more.spread_ + cross * dx * dx;
  product_ += more.product_ + cross * dx * dy;
  spread_y_ += more.spread_y_ + cross * dy * dy;
  mean_x_ += part * dx;
  mean_y_ += part * dy;
  count_ += more.count_;
  weight_ = weight;
  v_ += more.v_;
  vv_ += more.vv_;
}

std::optional<RelativeLine> RelativeSums::line() const {
  if (!(spread_ > 0)) return std::nullopt;
  RelativeLine line;
  line.slope = product_ / spread_;
  line.offset = mean_y_ - line.slope * mean_x_;
  line.squares = spread_y_ - line.slope * product_;
  if (line.slope < 0) {
    line = {mean_y_, 0, spread_y_};
  } else if (line.offset < 0) {
    line = {0, v_ / vv_, count_ - v_ * v_ / vv_};
  }
  line.squares = std::max(line.squares, 0.0);
  return line;
}

}  // namespace scalemark::stats
