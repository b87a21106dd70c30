// SPDX-License-Identifier: Apache-2.0
// Interpolation between measured times.
#include "common/predict/op_cost.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

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

namespace {

/// Seconds for `work` at the rate measured for it; empty without rates.
std::optional<double> at_rate(const std::map<double, double>& rates, double work) {
  if (rates.empty()) return std::nullopt;
  const double size = std::clamp(work, rates.begin()->first, rates.rbegin()->first);
  const std::optional<double> rate = interpolated(rates, size);
  return rate && *rate > 0 ? std::optional(work / *rate) : std::nullopt;
}

}  // namespace

std::optional<double> roofline_seconds(const Roofs& roofs, double flops, double bytes) {
  double longest = 0;
  for (const auto& [rates, work] :
       {std::pair(&roofs.flops, flops), std::pair(&roofs.bytes, bytes)}) {
    if (!(work > 0)) continue;
    const std::optional<double> seconds = at_rate(*rates, work);
    if (!seconds) return std::nullopt;
    longest = std::max(longest, *seconds);
  }
  return longest > 0 ? std::optional(longest) : std::nullopt;
}

}  // namespace scalemark::predict
