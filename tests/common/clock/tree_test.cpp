// SPDX-License-Identifier: Apache-2.0
// The rounds in which time is handed on, for all small numbers of ranks.
#include "common/clock/tree.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace scalemark::clock {
namespace {

/// "2> 0<": measures itself against 2, then answers 0.
std::string text_of(int rank, int size) {
  std::string text;
  for (const Edge& edge : edges_of(rank, size)) {
    if (!text.empty()) text += ' ';
    text += std::to_string(edge.other) + (edge.answers ? "<" : ">");
  }
  return text;
}

TEST(Tree, SevenRanksByHand) {
  EXPECT_EQ(text_of(0, 7), "2< 1< 4<");
  EXPECT_EQ(text_of(1, 7), "0> 5<");
  EXPECT_EQ(text_of(2, 7), "0> 3< 6<");
  EXPECT_EQ(text_of(3, 7), "2>");
  EXPECT_EQ(text_of(4, 7), "0>");
  EXPECT_EQ(text_of(5, 7), "1>");
  EXPECT_EQ(text_of(6, 7), "2>");
}

TEST(Tree, ARankAloneMeasuresNothing) { EXPECT_EQ(text_of(0, 1), ""); }

/// Ranks carry out their measurements in order, each waiting for its partner.
class Walk {
 public:
  explicit Walk(int size) : knows_(static_cast<std::size_t>(size)) {
    for (int rank = 0; rank < size; ++rank) left_.push_back(edges_of(rank, size));
    knows_[0] = true;
  }

  /// All pairs that wait for each other measure at once; false if there is none.
  bool step() {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t rank = 0; rank < left_.size(); ++rank) {
      if (left_[rank].empty() || left_[rank].front().answers) continue;
      const auto other = static_cast<std::size_t>(left_[rank].front().other);
      if (left_[other].empty() || !left_[other].front().answers) continue;
      if (left_[other].front().other == static_cast<int>(rank)) pairs.emplace_back(rank, other);
    }
    for (const auto& [asks, answers] : pairs) {
      EXPECT_TRUE(knows_[answers] && !knows_[asks]) << asks << " asks " << answers;
      knows_[asks] = true;
      for (const std::size_t rank : {asks, answers}) left_[rank].erase(left_[rank].begin());
    }
    return !pairs.empty();
  }
  bool done() const {
    return std::ranges::all_of(left_, &std::vector<Edge>::empty) &&
           std::ranges::all_of(knows_, std::identity{});
  }

 private:
  std::vector<std::vector<Edge>> left_;
  std::vector<bool> knows_;
};

TEST(Tree, EachRankLearnsTheTimeInAsManyRoundsAsRanksDouble) {
  for (int size = 1; size <= 130; ++size) {
    const auto ranks = static_cast<unsigned>(size);
    const int rounds = static_cast<int>(std::bit_width(ranks - 1));
    Walk walk(size);
    int steps = 0;
    while (walk.step()) ++steps;
    EXPECT_TRUE(walk.done()) << size << " ranks";
    EXPECT_EQ(steps, rounds) << size << " ranks";
  }
}

}  // namespace
}  // namespace scalemark::clock
