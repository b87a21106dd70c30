// SPDX-License-Identifier: Apache-2.0
// Interpolation between measured times.
#include "common/predict/op_cost.hpp"

#include <cmath>
#include <iterator>

namespace scalemark::predict {

std::optional<double> interpolated(const std::map<double, double>& seconds, double size) {
  const auto above = seconds.lower_bound(size);
  if (above == seconds.end()) return std::nullopt;
  if (above->first == size) return above->second;
  if (above == seconds.begin()) return std::nullopt;
  const auto below = std::prev(above);
  if (below->first <= 0 || below->second <= 0 || above->second <= 0) return std::nullopt;
  const double part = std::log(size / below->first) / std::log(above->first / below->first);
  return below->second * std::pow(above->second / below->second, part);
}

}  // namespace scalemark::predict
