// SPDX-License-Identifier: Apache-2.0
// How much time a stream of intervals covers, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace scalemark::profile {

/// Length of the union of intervals that come roughly, but not exactly, in the order of time.
///
/// At most `capacity` intervals are kept. When they are more, those that touch become one, and if
/// more than half the capacity is left, the oldest are summed up and forgotten. What comes later
/// and lies before the last forgotten one counts as late() instead: its place is no longer known,
/// so the length is never too large, and at most late() too small.
class IntervalUnion {
 public:
  explicit IntervalUnion(std::size_t capacity = std::size_t{1} << 15);

  /// [start, end) in ns; empty where end <= start.
  void add(std::uint64_t start, std::uint64_t end);
  /// ns covered so far.
  std::uint64_t length() const;
  /// ns that came too late to be placed, whether they were covered or not.
  std::uint64_t late() const { return late_; }

 private:
  struct Interval {
    std::uint64_t start = 0, end = 0;
  };
  static void merge(std::vector<Interval>& intervals);
  void make_room();

  std::size_t capacity_;
  std::vector<Interval> recent_;  ///< in the order of coming
  std::uint64_t forgotten_ = 0;   ///< ns
  std::uint64_t floor_ = 0;       ///< end of the last forgotten interval
  std::uint64_t late_ = 0;
};

}  // namespace scalemark::profile
