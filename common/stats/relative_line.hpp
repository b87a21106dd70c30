// SPDX-License-Identifier: Apache-2.0
// Fit of a straight line with relative residuals, so that small values weigh as much as large ones.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace scalemark::stats {

/// The line y = offset + slope * x.
struct RelativeLine {
  double offset = 0, slope = 0;
  double squares = 0;  ///< sum of ((fit - y) / y)^2

  double operator()(double x) const { return offset + slope * x; }
};

/// Least squares of relative residuals with offset >= 0 and slope >= 0, because no time is negative
/// and more work does not take less. Nothing for fewer than two different x, for x that is negative
/// or not finite, or for y that is not positive and finite.
std::optional<RelativeLine> fit_relative_line(std::span<const double> x, std::span<const double> y);

/// What the line through points needs of them: adding points, or those of other sums, takes the
/// same time however many there are.
class RelativeSums {
 public:
  /// Adds a point.
  void add(double x, double y);
  /// By the pairwise update of means and squared deviations of Chan, Golub and LeVeque (1983).
  void add(const RelativeSums& more);
  /// As fit_relative_line() but for rounding. Nothing for fewer than two different x.
  std::optional<RelativeLine> line() const;

 private:
  double count_ = 0, weight_ = 0;                   ///< points, and the sum of 1 / y^2
  double mean_x_ = 0, mean_y_ = 0;                  ///< weighted
  double spread_ = 0, product_ = 0, spread_y_ = 0;  ///< weighted squares of deviations from them
  double v_ = 0, vv_ = 0;                           ///< sums of x / y and of its square
};

}  // namespace scalemark::stats
