// SPDX-License-Identifier: Apache-2.0
// Change points by PELT on batch means: minimises squared deviations plus a penalty per segment.
#include <algorithm>
#include <cmath>
#include <vector>

#include "common/stats/autocorrelation.hpp"
#include "common/stats/limits.hpp"
#include "common/stats/steadiness.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::stats {
namespace {

constexpr std::size_t kMaxBatches = 1000;
constexpr std::size_t kMinValues = 40;  ///< in shorter series a shift cannot be told from noise
constexpr std::size_t kMinSegment = 5;  ///< batches
constexpr std::size_t kNoiseBlocks = 8;
constexpr double kClipAt = 3;  ///< robust standard deviations

/// Limits spikes to a range around the median: they are no change of level, and are flagged
/// elsewhere.
std::vector<double> clipped(std::span<const double> logs, double least_change) {
  const double center = median(logs);
  const double reach = std::max(kClipAt * mad(logs), 2 * least_change);
  std::vector<double> result;
  result.reserve(logs.size());
  for (const double value : logs)
    result.push_back(std::clamp(value, center - reach, center + reach));
  return result;
}

std::vector<double> means_of(std::span<const double> values, std::size_t size) {
  std::vector<double> means;
  for (std::size_t first = 0; first + size <= values.size(); first += size) {
    means.push_back(mean(values.subspan(first, size)));
  }
  return means;
}

/// Long-run variance per value, including autocorrelation. It is the median over blocks, because a
/// shift affects only one or two blocks and would otherwise count as noise.
double noise_variance(std::span<const double> values) {
  std::vector<double> variances;
  const std::size_t length = values.size() / kNoiseBlocks;
  for (std::size_t block = 0; block < kNoiseBlocks; ++block) {
    const std::span<const double> part = values.subspan(block * length, length);
    const double spread = stddev(part);
    variances.push_back(spread * spread * autocorrelation(part).tau);
  }
  return median(variances);
}

/// Sum of squared deviations from the mean of a segment, computed from running sums.
class SegmentCost {
 public:
  explicit SegmentCost(std::span<const double> values)
      : sum_(values.size() + 1, 0), squares_(values.size() + 1, 0) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double value = values[i] - values[0];
      sum_[i + 1] = sum_[i] + value;
      squares_[i + 1] = squares_[i] + value * value;
    }
  }
  double operator()(std::size_t begin, std::size_t end) const {
    const double sum = sum_[end] - sum_[begin];
    return squares_[end] - squares_[begin] - sum * sum / static_cast<double>(end - begin);
  }

 private:
  std::vector<double> sum_, squares_;
};

/// First elements of all segments but the first.
std::vector<std::size_t> pelt(std::span<const double> values, double penalty) {
  const SegmentCost cost(values);
  const std::size_t n = values.size();
  std::vector<double> best(n + 1, kInfinity);
  std::vector<std::size_t> last(n + 1, 0), candidates = {0};
  best[0] = -penalty;
  for (std::size_t end = kMinSegment; end <= n; ++end) {
    if (end >= 2 * kMinSegment) candidates.push_back(end - kMinSegment);
    for (const std::size_t begin : candidates) {
      const double total = best[begin] + cost(begin, end) + penalty;
      if (total < best[end]) {
        best[end] = total;
        last[end] = begin;
      }
    }
    std::erase_if(candidates,
                  [&](std::size_t begin) { return best[begin] + cost(begin, end) > best[end]; });
  }
  std::vector<std::size_t> starts;
  for (std::size_t begin = last[n]; begin > 0; begin = last[begin]) starts.push_back(begin);
  std::reverse(starts.begin(), starts.end());
  return starts;
}

}  // namespace

std::vector<ChangePoint> change_points(std::span<const double> logs, const ChangeOptions& options) {
  const std::size_t n = logs.size();
  if (n < kMinValues) return {};
  const std::vector<double> values = clipped(logs, options.least_change);
  const std::size_t size = (n + kMaxBatches - 1) / kMaxBatches;
  const double variance =
      std::max(noise_variance(values), options.least_spread * options.least_spread);
  const double penalty =
      options.penalty * std::log(static_cast<double>(n)) * variance / static_cast<double>(size);
  std::vector<std::size_t> edges = {0};
  for (const std::size_t start : pelt(means_of(values, size), penalty))
    edges.push_back(start * size);
  edges.push_back(n);
  std::vector<ChangePoint> changes;
  for (std::size_t i = 1; i + 1 < edges.size(); ++i) {
    const double before = median(logs.subspan(edges[i - 1], edges[i] - edges[i - 1]));
    const double after = median(logs.subspan(edges[i], edges[i + 1] - edges[i]));
    if (std::abs(after - before) >= options.least_change)
      changes.push_back({edges[i], after - before});
  }
  return changes;
}

}  // namespace scalemark::stats
