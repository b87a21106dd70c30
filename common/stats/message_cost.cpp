// SPDX-License-Identifier: Apache-2.0
// Fits lines over ranges of message sizes, and chooses the number of ranges.
#include "common/stats/message_cost.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/stats/limits.hpp"
#include "common/stats/relative_line.hpp"

namespace scalemark::stats {
namespace {

constexpr double kNoResidual = 0.005;

/// Index r (r + 1 regimes) with the smallest information criterion.
std::size_t chosen(const std::vector<CostPartition>& best, std::size_t n) {
  const auto count = static_cast<double>(n);
  std::size_t choice = 0;
  double least = kInfinity;
  for (std::size_t r = 0; r < best.size(); ++r) {
    const double variance = std::max(best[r].squares / count, kNoResidual * kNoResidual);
    // Two parameters per line, and one for its end.
    const double criterion =
        count * std::log(variance) + 3 * static_cast<double>(r) * std::log(count);
    if (criterion < least) {
      least = criterion;
      choice = r;
    }
  }
  return choice;
}

}  // namespace

double CostRegime::bandwidth() const {
  return seconds_per_byte > 0 ? 1 / seconds_per_byte : kInfinity;
}

double CostFit::half_bandwidth_bytes() const {
  return std::max(regimes.back().first_bytes, regimes.back().latency * bandwidth());
}

double CostFit::time(double bytes) const {
  const CostRegime* regime = &regimes.front();
  for (const CostRegime& next : regimes) {
    if (bytes - regime->last_bytes > next.first_bytes - bytes) regime = &next;
  }
  return regime->latency + regime->seconds_per_byte * bytes;
}

MessageCostFits::MessageCostFits(std::span<const double> bytes, std::span<const double> seconds,
                                 std::size_t most_regimes) {
  if (bytes.size() != seconds.size() || !fit_relative_line(bytes, seconds)) return;
  std::vector<std::size_t> order(bytes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return bytes[i] < bytes[j]; });
  for (const std::size_t i : order) {
    bytes_.push_back(bytes[i]);
    seconds_.push_back(seconds[i]);
  }
  partitions_.emplace(SizeSweep{bytes_, seconds_}, most_regimes);
}

CostFit MessageCostFits::first(std::size_t count) const {
  CostFit fit;
  if (!partitions_) return fit;
  const std::vector<CostPartition> best = partitions_->first(count);
  double squares = 0;
  std::size_t begin = 0;
  for (const std::size_t end : best[chosen(best, count)].ends) {
    const std::size_t points = end - begin;
    const RelativeLine line = fit_relative_line(std::span(bytes_).subspan(begin, points),
                                                std::span(seconds_).subspan(begin, points))
                                  .value();
    squares += line.squares;
    fit.regimes.push_back({bytes_[begin], bytes_[end - 1], line.offset, line.slope, points});
    begin = end;
  }
  fit.relative_rms = std::sqrt(squares / static_cast<double>(count));
  return fit;
}

CostFit fit_message_cost(std::span<const double> bytes, std::span<const double> seconds,
                         std::size_t most_regimes) {
  return MessageCostFits(bytes, seconds, most_regimes).first(bytes.size());
}

}  // namespace scalemark::stats
