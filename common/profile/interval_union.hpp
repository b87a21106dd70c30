// SPDX-License-Identifier: Apache-2.0
// Total time that a stream of intervals covers, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace scalemark::profile {

/// Length of the union of intervals that arrive roughly, but not exactly, in order of time. At most
/// `capacity` intervals are kept. If there are more, overlapping ones are merged; if more than half
/// the capacity is then still used, the oldest are summed up and dropped. Time that arrives later
/// and lies before the last dropped interval counts as late() instead, because it may be covered
/// already. So the length is never too large, and too small by at most late().
class IntervalUnion {
 public:
  explicit IntervalUnion(std::size_t capacity = std::size_t{1} << 15);

  /// Adds [start, end) in ns; nothing if end <= start.
  void add(std::uint64_t start, std::uint64_t end);
  /// Covered time in ns.
  std::uint64_t length() const;
  /// Time in ns that arrived too late to be added, covered or not.
  std::uint64_t late() const { return late_; }

 private:
  struct Interval {
    std::uint64_t start = 0, end = 0;
  };
  static void merge(std::vector<Interval>& intervals);
  void make_room();

  std::size_t capacity_;
  std::vector<Interval> recent_;  ///< in order of arrival
  std::uint64_t forgotten_ = 0;   ///< ns, covered by the intervals that were dropped
  std::uint64_t floor_ = 0;       ///< end of the last interval that was dropped
  std::uint64_t late_ = 0;
};

}  // namespace scalemark::profile
