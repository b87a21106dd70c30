// SPDX-License-Identifier: Apache-2.0
// How far off a prediction may be, by how far off its like were. With residuals that had no part in
// the prediction this is split conformal prediction (Lei, G'Sell, Rinaldo, Tibshirani, Wasserman,
// "Distribution-free predictive inference for regression", JASA 2018).
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace scalemark::predict {

/// Residuals that an interval of this level needs: 9 for 0.9.
std::size_t residuals_needed(double level);

/// Half the width of an interval around a prediction: the (n + 1) level-th smallest |residual|,
/// rounded up. It holds a new value with probability `level`, in (0, 1), if its residual is
/// exchangeable with these. Residuals that also chose the model are not: then how often it holds is
/// to be measured. Nothing for fewer than residuals_needed().
std::optional<double> conformal_half_width(std::span<const double> residuals, double level);

}  // namespace scalemark::predict
