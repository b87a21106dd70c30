// SPDX-License-Identifier: Apache-2.0
// Divides a sweep over message sizes into ranges, each of which one line fits.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/stats/limits.hpp"

namespace scalemark::stats {

/// Message sizes in ascending order, and the times of each.
struct SizeSweep {
  std::span<const double> bytes, seconds;
};

/// Consecutive ranges of points.
struct CostPartition {
  double squares = kInfinity;     ///< sum of squared relative residuals; infinite: no such division
  std::vector<std::size_t> ends;  ///< one past the last point of each range
};

/// The divisions of a sweep, and of its first points, with the least squares. A range has at least
/// three points, and points of equal size are in one range. The sweep must outlive this.
class CostPartitions {
 public:
  /// Up to this many points, all divisions are compared. With more, ranges end on a grid of this
  /// many points, which is then narrowed down around the best ends, to single points. The time
  /// grows with the number of points, not with its cube.
  static constexpr std::size_t kAllCompared = 128;

  /// `most`: the largest number of ranges.
  CostPartitions(const SizeSweep& sweep, std::size_t most);

  /// Of the first `count` points; [r] has r + 1 ranges. `count`: at least 3, or all points.
  std::vector<CostPartition> first(std::size_t count) const;

 private:
  struct Cell {
    double squares = kInfinity;
    std::size_t begin = 0;  ///< of the last range
  };
  using Table = std::vector<std::vector<Cell>>;  ///< [r][end], both by their place in a grid

  /// `squares(begin, end)`: of a range between two places of the grid; infinite if it is none.
  template <typename Squares>
  Table fill(std::size_t grid, const Squares& squares) const;
  Table compare_all() const;
  Table compare_on(const std::vector<std::size_t>& grid) const;
  static CostPartition read_back(const Table& table, std::size_t ranges, std::size_t end);
  std::vector<std::size_t> narrowed(const std::vector<std::size_t>& grid, const Table& table) const;
  bool may_begin(std::size_t point) const;

  SizeSweep sweep_;
  std::size_t most_;
  Table all_;  ///< empty with more than kAllCompared points
};

}  // namespace scalemark::stats
