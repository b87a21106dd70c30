// SPDX-License-Identifier: Apache-2.0
// Length of the union of intervals.
#include "common/profile/interval_union.hpp"

#include <algorithm>

namespace scalemark::profile {

IntervalUnion::IntervalUnion(std::size_t capacity)
    : capacity_(std::max<std::size_t>(capacity, 2)) {}

void IntervalUnion::add(std::uint64_t start, std::uint64_t end) {
  if (end <= start) return;
  if (start < floor_) {
    late_ += std::min(end, floor_) - start;
    if (end <= floor_) return;
    start = floor_;
  }
  if (!recent_.empty() && recent_.back().start <= start && start <= recent_.back().end) {
    recent_.back().end = std::max(recent_.back().end, end);
    return;
  }
  if (recent_.size() == capacity_) make_room();
  // make_room() may just have moved the boundary into this interval.
  if (start < floor_) return add(start, end);
  recent_.push_back({start, end});
}

std::uint64_t IntervalUnion::length() const {
  std::vector<Interval> disjoint = recent_;
  merge(disjoint);
  std::uint64_t sum = forgotten_;
  for (const Interval& one : disjoint) sum += one.end - one.start;
  return sum;
}

/// Sorts intervals and merges those that overlap or touch.
void IntervalUnion::merge(std::vector<Interval>& intervals) {
  if (intervals.empty()) return;
  if (!std::ranges::is_sorted(intervals, {}, &Interval::start))
    std::ranges::sort(intervals, {}, &Interval::start);
  std::size_t last = 0;
  for (std::size_t i = 1; i < intervals.size(); ++i) {
    if (intervals[i].start <= intervals[last].end) {
      intervals[last].end = std::max(intervals[last].end, intervals[i].end);
    } else {
      intervals[++last] = intervals[i];
    }
  }
  intervals.resize(last + 1);
}

void IntervalUnion::make_room() {
  merge(recent_);
  if (recent_.size() <= capacity_ / 2) return;
  const auto keep = recent_.end() - static_cast<std::ptrdiff_t>(capacity_ / 2);
  for (auto one = recent_.begin(); one != keep; ++one) forgotten_ += one->end - one->start;
  floor_ = (keep - 1)->end;
  recent_.erase(recent_.begin(), keep);
}

}  // namespace scalemark::profile
