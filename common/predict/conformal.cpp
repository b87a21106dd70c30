// SPDX-License-Identifier: Apache-2.0
// The quantile of the residuals.
#include "common/predict/conformal.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/base/error.hpp"

namespace scalemark::predict {
namespace {

/// Rank of the residual that is taken, from 1. Rounding errors of (n + 1) level do not count.
std::size_t rank_of(std::size_t residuals, double level) {
  return static_cast<std::size_t>(std::ceil(static_cast<double>(residuals + 1) * level - 1e-9));
}

}  // namespace

std::size_t residuals_needed(double level) {
  if (!(level > 0 && level < 1)) throw Error("the level of an interval is between 0 and 1");
  return static_cast<std::size_t>(std::ceil(level / (1 - level) - 1e-9));
}

std::optional<double> conformal_half_width(std::span<const double> residuals, double level) {
  if (residuals.size() < residuals_needed(level)) return std::nullopt;
  std::vector<double> sizes;
  for (const double one : residuals) sizes.push_back(std::abs(one));
  std::ranges::sort(sizes);
  return sizes[std::clamp<std::size_t>(rank_of(sizes.size(), level), 1, sizes.size()) - 1];
}

}  // namespace scalemark::predict
