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

/// Seconds for `work` at the rate measured for it; empty without rates. No work takes no time.
std::optional<double> at_rate(const std::map<double, double>& rates, double work) {
  if (!(work > 0)) return 0.0;
  if (rates.empty()) return std::nullopt;
  const double size = std::clamp(work, rates.begin()->first, rates.rbegin()->first);
  const std::optional<double> rate = interpolated(rates, size);
  return rate && *rate > 0 ? std::optional(work / *rate) : std::nullopt;
}

}  // namespace

std::optional<RooflineTimes> roofline_times(const Roofs& roofs, double flops, double bytes) {
  const std::optional<double> products = at_rate(roofs.flops, flops),
                              memory = at_rate(roofs.bytes, bytes);
  if (!products || !memory) return std::nullopt;
  const RooflineTimes times{.products = *products, .memory = *memory};
  return times.longer() > 0 ? std::optional(times) : std::nullopt;
}

}  // namespace scalemark::predict
