// SPDX-License-Identifier: Apache-2.0
// Finds slow hosts: all pairs of a slow host are slow, while any other host has a fast pair.
#include "common/analysis/slow_host.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "common/analysis/pair_table.hpp"
#include "common/base/text.hpp"
#include "common/stats/distributions.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::analysis {
namespace {

constexpr double kMinSlower = 0.05, kFalseNames = 0.01, kUsualSpread = 0.1, kUsualFreedom = 4;

struct LogPair {
  std::size_t first, second;
  double value;
  bool has(std::size_t end) const { return first == end || second == end; }
};

std::vector<LogPair> logarithms(std::span<const PairTime> pairs) {
  std::vector<LogPair> result;
  for (const PairTime& pair : pairs) {
    if (std::isfinite(pair.seconds) && pair.seconds > 0 && pair.first != pair.second)
      result.push_back({pair.first, pair.second, std::log(pair.seconds)});
  }
  return result;
}

/// Per end: the logarithm of its fastest pair's time, sorted slowest first. Ends with too few pairs
/// are left out.
std::vector<std::pair<double, std::size_t>> fastest_pairs(std::span<const LogPair> pairs) {
  std::map<std::size_t, std::vector<double>> of;
  for (const LogPair& pair : pairs) {
    of[pair.first].push_back(pair.value);
    of[pair.second].push_back(pair.value);
  }
  std::vector<std::pair<double, std::size_t>> fastest;
  for (const auto& [end, values] : of) {
    if (values.size() >= 2 && 2 * values.size() >= of.size() - 1)
      fastest.emplace_back(*std::ranges::min_element(values), end);
  }
  std::ranges::sort(fastest, std::ranges::greater());
  return fastest;
}

/// Standard deviation of a pair around the median of its group, and its degrees of freedom.
std::pair<double, double> pair_spread(std::span<const std::vector<double>> groups,
                                      std::span<const double> medians) {
  std::vector<double> deviations;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (const double value : groups[i]) deviations.push_back(std::abs(value - medians[i]));
  }
  // A median is fitted to its group, so that one deviation per group is near 0: drop the smallest
  // ones.
  std::ranges::sort(deviations, std::ranges::greater());
  deviations.resize(deviations.size() - groups.size());
  const auto freedom = static_cast<double>(deviations.size());
  const double own_deviation = deviations.empty() ? 0 : 1.4826 * stats::median(deviations);
  const double variance =
      (kUsualFreedom * kUsualSpread * kUsualSpread + freedom * own_deviation * own_deviation) /
      (kUsualFreedom + freedom);
  return {std::sqrt(variance), kUsualFreedom + freedom};
}

std::optional<SlowPlace> slow_host(std::span<const PairRow> all, double level) {
  std::map<std::string_view, std::set<std::size_t>> ranks;
  std::map<std::pair<std::string_view, std::string_view>, std::vector<double>> between;
  for (const PairRow& row : all) {
    std::string_view one = host_in(row.rank_place), other = host_in(row.peer_place);
    ranks[one].insert(row.rank);
    ranks[other].insert(row.peer);
    if (other < one) std::swap(one, other);
    if (one != other && std::isfinite(row.seconds) && row.seconds > 0)
      between[{one, other}].push_back(row.seconds);
  }
  std::map<std::string_view, std::size_t> number;
  for (const auto& [host, its] : ranks) number.emplace(host, number.size());
  std::vector<PairTime> pairs;
  for (const auto& [hosts, seconds] : between)
    pairs.push_back({number.at(hosts.first), number.at(hosts.second), stats::median(seconds)});
  const std::optional<SlowEnd> slow = slow_end(pairs, level);
  if (!slow) return std::nullopt;
  const auto& [host, its] = *std::next(ranks.begin(), static_cast<std::ptrdiff_t>(slow->end));
  return SlowPlace{.host = std::string(host),
                   .ranks = {its.begin(), its.end()},
                   .factor = slow->factor,
                   .pairs = slow->pairs};
}

std::optional<SlowPlace> slow_rank(std::span<const PairRow> all, double level) {
  std::map<std::string_view, std::vector<PairTime>> within;
  for (const PairRow& row : all) {
    if (row.rank_place == row.peer_place)
      within[row.rank_place].push_back({row.rank, row.peer, row.seconds});
  }
  std::optional<SlowPlace> slowest;
  for (const auto& [place, pairs] : within) {
    const std::optional<SlowEnd> slow = slow_end(pairs, level / static_cast<double>(within.size()));
    if (slow && (!slowest || slow->factor > slowest->factor))
      slowest = SlowPlace{.host = std::string(host_in(place)),
                          .ranks = {slow->end},
                          .is_rank = true,
                          .factor = slow->factor,
                          .pairs = slow->pairs};
  }
  return slowest;
}

}  // namespace

std::optional<SlowEnd> slow_end(std::span<const PairTime> pairs, double level) {
  const std::vector<LogPair> all = logarithms(pairs);
  const std::vector<std::pair<double, std::size_t>> fastest = fastest_pairs(all);
  if (fastest.size() < 3) return std::nullopt;
  const auto [fastest_here, end] = fastest.front();
  // Three quarters of the other ends have a fastest pair at most this slow.
  const double others_fastest = fastest[1 + (fastest.size() - 1) / 4].first;
  std::vector<double> groups[2];  // pairs without the slow end, pairs with it
  for (const LogPair& pair : all) groups[pair.has(end) ? 1 : 0].push_back(pair.value);
  if (groups[0].empty()) return std::nullopt;
  const double medians[] = {stats::median(groups[0]), stats::median(groups[1])};
  const auto [deviation, freedom] = pair_spread(groups, medians);
  const double tail = level / static_cast<double>(fastest.size());
  const double limit =
      std::max(std::log1p(kMinSlower), stats::student_t_quantile(1 - tail, freedom) * deviation);
  if (!(std::min(fastest_here - others_fastest, medians[1] - medians[0]) > limit))
    return std::nullopt;
  return SlowEnd{end, std::exp(medians[1] - medians[0]), groups[1].size()};
}

std::optional<SlowPlace> slow_place(const CaseResult& result) {
  const std::vector<PairRow> all = pair_rows(result, /*screening=*/false);
  if (const std::optional<SlowPlace> host = slow_host(all, kFalseNames / 2)) return host;
  return slow_rank(all, kFalseNames / 2);
}

std::string slow_text(const SlowPlace& slow) {
  const std::string host = text::printable(slow.host, 100);
  const std::string who =
      slow.is_rank ? fmt::format("rank {} on {}", slow.ranks.front(), host) : host;
  return fmt::format("{} is slow: its {} pairs take {:.3g} times as long as others", who,
                     slow.pairs, slow.factor);
}

}  // namespace scalemark::analysis
