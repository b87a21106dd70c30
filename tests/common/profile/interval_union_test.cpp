// SPDX-License-Identifier: Apache-2.0
// The union of intervals, against cases worked out by hand and against marking every ns.
#include "common/profile/interval_union.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace scalemark::profile {
namespace {

using Intervals = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

std::uint64_t length(const Intervals& intervals) {
  IntervalUnion covered;
  for (const auto& [start, end] : intervals) covered.add(start, end);
  EXPECT_EQ(covered.late(), 0U);
  return covered.length();
}

TEST(IntervalUnion, OfIntervalsInEveryPosition) {
  EXPECT_EQ(length({}), 0U);
  EXPECT_EQ(length({{10, 30}}), 20U);
  EXPECT_EQ(length({{10, 30}, {40, 45}}), 25U) << "apart";
  EXPECT_EQ(length({{10, 30}, {30, 45}}), 35U) << "touching";
  EXPECT_EQ(length({{10, 30}, {20, 45}}), 35U) << "overlapping";
  EXPECT_EQ(length({{10, 30}, {15, 20}}), 20U) << "one in the other";
  EXPECT_EQ(length({{10, 30}, {10, 30}}), 20U) << "equal";
  EXPECT_EQ(length({{40, 45}, {10, 30}}), 25U) << "later one first";
  EXPECT_EQ(length({{10, 20}, {30, 40}, {15, 35}}), 30U) << "joined by the third";
  EXPECT_EQ(length({{10, 10}, {7, 3}}), 0U) << "empty ones";
}

TEST(IntervalUnion, InOrderItIsExactHoweverManyThereAre) {
  IntervalUnion covered(4);
  for (std::uint64_t i = 0; i < 10000; ++i) covered.add(10 * i, 10 * i + 3);
  EXPECT_EQ(covered.length(), 30000U);
  EXPECT_EQ(covered.late(), 0U);
}

/// ns that are in some interval, counted one by one.
std::uint64_t marked(const Intervals& intervals) {
  std::vector<char> marks(20000, 0);
  for (const auto& [start, end] : intervals) {
    for (std::uint64_t t = start; t < end; ++t) marks[t] = 1;
  }
  return static_cast<std::uint64_t>(std::ranges::count(marks, 1));
}

// Many, of all lengths, each up to 40 places from where it belongs; 128 are kept.
TEST(IntervalUnion, OutOfOrderItIsExactAsLongAsTheyAreNotFarFromTheirPlace) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    Intervals intervals;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const std::uint64_t start = 19 * i + random() % 19;
      intervals.emplace_back(start, std::min<std::uint64_t>(start + random() % 30, 20000));
    }
    for (std::size_t i = 0; i + 40 <= intervals.size(); i += 40) {
      const auto first = intervals.begin() + static_cast<std::ptrdiff_t>(i);
      std::shuffle(first, first + 40, random);
    }
    IntervalUnion covered(128);
    for (const auto& [start, end] : intervals) covered.add(start, end);
    EXPECT_EQ(covered.length(), marked(intervals));
    EXPECT_EQ(covered.late(), 0U);
  }
}

TEST(IntervalUnion, WhatIsFarTooLateIsSaidAndNeverMakesItLonger) {
  std::mt19937 random(8);
  Intervals intervals;
  for (std::uint64_t i = 0; i < 1000; ++i) intervals.emplace_back(19 * i, 19 * i + 1 + i % 18);
  std::shuffle(intervals.begin(), intervals.end(), random);
  IntervalUnion covered(8);
  for (const auto& [start, end] : intervals) covered.add(start, end);
  const std::uint64_t exact = marked(intervals);
  EXPECT_GT(covered.late(), 0U);
  EXPECT_LT(covered.length(), exact);
  EXPECT_GE(covered.length() + covered.late(), exact);

  IntervalUnion two(2);
  for (std::uint64_t i = 1; i < 5; ++i) two.add(10 * i, 10 * i + 5);
  two.add(3, 38);  // of which nobody knows any more what was covered until 25 or 35
  EXPECT_GE(two.late(), 22U);
  EXPECT_LE(two.length(), 42U);
}

}  // namespace
}  // namespace scalemark::profile
