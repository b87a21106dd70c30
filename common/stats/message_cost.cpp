// SPDX-License-Identifier: Apache-2.0
// Fits lines over ranges of message sizes; dynamic programming chooses the ranges.
#include "common/stats/message_cost.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "common/stats/limits.hpp"
#include "common/stats/relative_line.hpp"

namespace scalemark::stats {
namespace {

constexpr std::size_t kMinPoints = 3;
constexpr double kNoResidual = 0.005;

struct Sweep {
  std::vector<double> bytes, seconds;  ///< sorted by size
};

Sweep by_size(std::span<const double> bytes, std::span<const double> seconds) {
  std::vector<std::size_t> order(bytes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return bytes[i] < bytes[j]; });
  Sweep sweep;
  for (const std::size_t i : order) {
    sweep.bytes.push_back(bytes[i]);
    sweep.seconds.push_back(seconds[i]);
  }
  return sweep;
}

/// The line through points [begin, end). Nothing if there are too few points, or if the range would
/// separate points of equal size.
std::optional<RelativeLine> line_over(const Sweep& sweep, std::size_t begin, std::size_t end) {
  const std::size_t n = sweep.bytes.size();
  const bool whole = begin == 0 && end == n;
  if (!whole && end - begin < kMinPoints) return std::nullopt;
  if (begin > 0 && sweep.bytes[begin - 1] == sweep.bytes[begin]) return std::nullopt;
  if (end < n && sweep.bytes[end - 1] == sweep.bytes[end]) return std::nullopt;
  return fit_relative_line(std::span(sweep.bytes).subspan(begin, end - begin),
                           std::span(sweep.seconds).subspan(begin, end - begin));
}

/// The best partition of the points before `end`: its squared residuals, and the first point of its
/// last regime.
struct Partition {
  double squares = kInfinity;
  std::size_t begin = 0;
};

/// best[r][end]: partitions into r + 1 regimes.
std::vector<std::vector<Partition>> partitions(const Sweep& sweep, std::size_t most_regimes) {
  const std::size_t n = sweep.bytes.size();
  std::vector<std::vector<Partition>> best(most_regimes, std::vector<Partition>(n + 1));
  for (std::size_t begin = 0; begin < n; ++begin) {
    for (std::size_t end = begin + 2; end <= n; ++end) {
      const std::optional<RelativeLine> line = line_over(sweep, begin, end);
      if (!line) continue;
      if (begin == 0) best[0][end] = {line->squares, 0};
      for (std::size_t r = 1; r < most_regimes && begin > 0; ++r) {
        const double squares = best[r - 1][begin].squares + line->squares;
        if (squares < best[r][end].squares) best[r][end] = {squares, begin};
      }
    }
  }
  return best;
}

/// Index r (r + 1 regimes) with the smallest information criterion.
std::size_t chosen(const std::vector<std::vector<Partition>>& best, std::size_t n) {
  const auto count = static_cast<double>(n);
  std::size_t choice = 0;
  double least = kInfinity;
  for (std::size_t r = 0; r < best.size(); ++r) {
    const double variance = std::max(best[r][n].squares / count, kNoResidual * kNoResidual);
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

CostFit fit_message_cost(std::span<const double> bytes, std::span<const double> seconds,
                         std::size_t most_regimes) {
  CostFit fit;
  if (bytes.size() != seconds.size() || !fit_relative_line(bytes, seconds)) return fit;
  const Sweep sweep = by_size(bytes, seconds);
  const std::size_t n = bytes.size();
  const auto best = partitions(sweep, std::max<std::size_t>(most_regimes, 1));
  const std::size_t choice = chosen(best, n);
  fit.relative_rms = std::sqrt(best[choice][n].squares / static_cast<double>(n));
  std::size_t end = n;
  for (std::size_t r = choice + 1; r-- > 0;) {
    const std::size_t begin = best[r][end].begin;
    const RelativeLine line = line_over(sweep, begin, end).value();
    fit.regimes.push_back(
        {sweep.bytes[begin], sweep.bytes[end - 1], line.offset, line.slope, end - begin});
    end = begin;
  }
  std::reverse(fit.regimes.begin(), fit.regimes.end());
  return fit;
}

}  // namespace scalemark::stats
