// SPDX-License-Identifier: Apache-2.0
// How a quantity grows with the number of ranks: c0 + c1 p^i log2(p)^j, as Extra-P models it
// (Calotoiu, Hoefler, Poke, Wolf, "Using automated performance modeling to find scalability bugs in
// complex codes", SC'13).
#pragma once

#include <span>

namespace scalemark::predict {

struct ScaleModel {
  double constant = 0, coefficient = 0;  ///< c0 and c1, in the quantity's unit
  double power = 0;                      ///< i
  int log_power = 0;                     ///< j; 0 with i = 0: a constant
  /// Mean of |predicted - measured| / ((|predicted| + |measured|) / 2), %: of each point by the
  /// model of the others. Of a constant: of all points by their mean.
  double error = 0;
  /// Largest |log(measured / predicted)|, each point by the model or mean of the others: what a
  /// collective's form is judged by. Infinite where such a prediction is not positive.
  double worst_error = 0;

  double at(double ranks) const;
};

/// The model with the least error among the constant and 42 terms of Extra-P's default set (powers
/// up to 3, logarithms up to the square). Where a number of ranks is below 1, terms with logarithms
/// are left out. A term that contributes less than 0.05 % everywhere is not taken. Throws Error for
/// fewer than 5 points, or values that are not finite.
ScaleModel fit_scale_model(std::span<const double> ranks, std::span<const double> values);

}  // namespace scalemark::predict
