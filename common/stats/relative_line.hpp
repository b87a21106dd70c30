// SPDX-License-Identifier: Apache-2.0
// A straight line with relative errors: small values weigh as much as large ones.
#pragma once

#include <optional>
#include <span>

namespace scalemark::stats {

/// y = offset + slope * x.
struct RelativeLine {
  double offset = 0, slope = 0;
  double squares = 0;  ///< sum of ((fit - y) / y)^2

  double operator()(double x) const { return offset + slope * x; }
};

/// The least squares of relative residuals with offset and slope at least 0 (a time never starts
/// below nothing, and more work never takes less). Nothing with fewer than two different x, or
/// where an x is negative or not finite, or a y not positive and finite.
std::optional<RelativeLine> fit_relative_line(std::span<const double> x, std::span<const double> y);

}  // namespace scalemark::stats
