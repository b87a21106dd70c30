// SPDX-License-Identifier: Apache-2.0
// Dynamic programming over the ends of ranges.
#include "common/stats/cost_partition.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "common/stats/relative_line.hpp"

namespace scalemark::stats {
namespace {

constexpr std::size_t kMinPoints = 3;
/// A grid becomes some 20 times finer at a time. More rounds follow ends that move.
constexpr int kMaxRounds = 16;

/// About `steps` places at equal distances, with both ends.
void add_evenly(std::size_t from, std::size_t to, std::size_t steps,
                std::set<std::size_t>& places) {
  const std::size_t step = std::max<std::size_t>((to - from + steps - 1) / steps, 1);
  for (std::size_t place = from; place < to; place += step) places.insert(place);
  places.insert(to);
}

double squares_of(const std::optional<RelativeLine>& line) {
  return line ? line->squares : kInfinity;
}

}  // namespace

CostPartitions::CostPartitions(const SizeSweep& sweep, std::size_t most)
    : sweep_(sweep), most_(std::max<std::size_t>(most, 1)) {
  if (sweep.bytes.size() <= kAllCompared) all_ = compare_all();
}

/// Whether a range may begin there: points of equal size stay together.
bool CostPartitions::may_begin(std::size_t point) const {
  return point == 0 || sweep_.bytes[point - 1] != sweep_.bytes[point];
}

template <typename Squares>
CostPartitions::Table CostPartitions::fill(std::size_t grid, const Squares& squares) const {
  Table best(most_, std::vector<Cell>(grid));
  for (std::size_t begin = 0; begin < grid; ++begin) {
    for (std::size_t end = begin + 1; end < grid; ++end) {
      const double more = squares(begin, end);
      if (begin == 0) best[0][end].squares = more;
      for (std::size_t r = 1; r < most_ && begin > 0; ++r) {
        const double all = best[r - 1][begin].squares + more;
        if (all < best[r][end].squares) best[r][end] = {all, begin};
      }
    }
  }
  return best;
}

CostPartitions::Table CostPartitions::compare_all() const {
  const std::size_t n = sweep_.bytes.size(), least = std::min(kMinPoints, n);
  return fill(n + 1, [&](std::size_t begin, std::size_t end) {
    if (end - begin < least || !may_begin(begin)) return kInfinity;
    return squares_of(fit_relative_line(sweep_.bytes.subspan(begin, end - begin),
                                        sweep_.seconds.subspan(begin, end - begin)));
  });
}

CostPartitions::Table CostPartitions::compare_on(const std::vector<std::size_t>& grid) const {
  std::vector<RelativeSums> steps(grid.size() - 1);
  for (std::size_t step = 0; step < steps.size(); ++step) {
    for (std::size_t i = grid[step]; i < grid[step + 1]; ++i)
      steps[step].add(sweep_.bytes[i], sweep_.seconds[i]);
  }
  RelativeSums sums;  // of the range: fill() asks for one begin after the other, from short to long
  return fill(grid.size(), [&](std::size_t begin, std::size_t end) {
    if (end == begin + 1) sums = {};
    sums.add(steps[end - 1]);
    if (grid[end] - grid[begin] < kMinPoints || !may_begin(grid[begin])) return kInfinity;
    return squares_of(sums.line());
  });
}

/// The division into `ranges` that ends at a place of the grid, by places of the grid.
CostPartition CostPartitions::read_back(const Table& table, std::size_t ranges, std::size_t end) {
  CostPartition found;
  found.squares = table[ranges - 1][end].squares;
  if (found.squares == kInfinity) return found;
  for (std::size_t r = ranges; r-- > 0; end = table[r][end].begin) found.ends.push_back(end);
  std::reverse(found.ends.begin(), found.ends.end());
  return found;
}

/// A grid that is finer around the ends of the best ranges, and holds these ends; empty if they are
/// known to a point.
std::vector<std::size_t> CostPartitions::narrowed(const std::vector<std::size_t>& grid,
                                                  const Table& table) const {
  std::set<std::size_t> inner;
  for (std::size_t ranges = 2; ranges <= most_; ++ranges) {
    const CostPartition best = read_back(table, ranges, grid.size() - 1);
    inner.insert(best.ends.begin(), best.ends.end());
  }
  inner.erase(grid.size() - 1);
  std::set<std::size_t> places = {0, grid.back()};
  bool is_finer = false;
  for (const std::size_t end : inner) {
    const std::size_t steps = std::max<std::size_t>(kAllCompared / (2 * inner.size()), 2);
    for (const std::size_t from : {end - 1, end}) {
      is_finer = is_finer || grid[from + 1] - grid[from] > 1;
      add_evenly(grid[from], grid[from + 1], steps, places);
    }
  }
  if (!is_finer) return {};
  return {places.begin(), places.end()};
}

std::vector<CostPartition> CostPartitions::first(std::size_t count) const {
  std::vector<CostPartition> found;
  if (!all_.empty()) {
    for (std::size_t ranges = 1; ranges <= most_; ++ranges)
      found.push_back(read_back(all_, ranges, count));
    return found;
  }
  std::set<std::size_t> places;
  add_evenly(0, count, kAllCompared, places);
  std::vector<std::size_t> grid(places.begin(), places.end());
  Table table = compare_on(grid);
  for (int round = 0; round < kMaxRounds; ++round) {
    std::vector<std::size_t> finer = narrowed(grid, table);
    if (finer.empty()) break;
    grid = std::move(finer);
    table = compare_on(grid);
  }
  for (std::size_t ranges = 1; ranges <= most_; ++ranges) {
    found.push_back(read_back(table, ranges, grid.size() - 1));
    for (std::size_t& end : found.back().ends) end = grid[end];
  }
  return found;
}

}  // namespace scalemark::stats
