// SPDX-License-Identifier: Apache-2.0
// Fit of a straight line with relative residuals, so that small values weigh as much as large ones.
#pragma once

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

}  // namespace scalemark::stats
