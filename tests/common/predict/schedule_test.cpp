// SPDX-License-Identifier: Apache-2.0
// Whether each algorithm does what its name says: by following the data through its messages.
#include "common/predict/schedule.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace scalemark::predict {
namespace {

/// Every message has its receiver in the same round, and the other way round.
TEST(Schedule, EveryMessageIsReceivedInItsRound) {
  for (const std::string& algorithm : algorithms()) {
    for (int ranks = 1; ranks <= 17; ++ranks) {
      const Schedule schedule = make_schedule(algorithm, ranks, 1000);
      for (int round = 0; round < schedule.rounds; ++round) {
        for (int rank = 0; rank < ranks; ++rank) {
          const Exchange one = schedule.exchange(round, rank);
          SCOPED_TRACE(algorithm + " of " + std::to_string(ranks) + ", round " +
                       std::to_string(round) + ", rank " + std::to_string(rank));
          ASSERT_LT(one.to, ranks);
          ASSERT_LT(one.from, ranks);
          if (one.to >= 0) {
            ASSERT_NE(one.to, rank);
            ASSERT_EQ(schedule.exchange(round, one.to).from, rank);
          }
          if (one.from >= 0) {
            ASSERT_EQ(schedule.exchange(round, one.from).to, rank);
          }
        }
      }
    }
  }
}

/// The ranks whose contribution has reached each rank, if every message carries all that its sender
/// knows.
std::vector<std::set<int>> known_at_the_end(const Schedule& schedule) {
  std::vector<std::set<int>> known(static_cast<std::size_t>(schedule.ranks));
  for (int rank = 0; rank < schedule.ranks; ++rank) known[static_cast<std::size_t>(rank)] = {rank};
  for (int round = 0; round < schedule.rounds; ++round) {
    const auto before = known;
    for (int rank = 0; rank < schedule.ranks; ++rank) {
      const int from = schedule.exchange(round, rank).from;
      if (from >= 0)
        known[static_cast<std::size_t>(rank)].insert(before[static_cast<std::size_t>(from)].begin(),
                                                     before[static_cast<std::size_t>(from)].end());
    }
  }
  return known;
}

TEST(Schedule, WhatEachRankNeedsReachesIt) {
  for (const std::string& algorithm : algorithms()) {
    for (int ranks = 1; ranks <= 17; ++ranks) {
      const auto known = known_at_the_end(make_schedule(algorithm, ranks, 1000));
      for (int rank = 0; rank < ranks; ++rank) {
        const std::set<int>& here = known[static_cast<std::size_t>(rank)];
        if (algorithm == "broadcast_binomial")
          EXPECT_TRUE(here.contains(0)) << algorithm << ' ' << ranks << ' ' << rank;
        else
          EXPECT_EQ(here.size(), static_cast<std::size_t>(ranks)) << algorithm << ' ' << rank;
      }
    }
  }
}

std::uint64_t sent_by(const Schedule& schedule, int rank) {
  std::uint64_t bytes = 0;
  for (int round = 0; round < schedule.rounds; ++round)
    bytes += schedule.exchange(round, rank).sent;
  return bytes;
}

TEST(Schedule, SendsAsManyBytesAsItsTheorySays) {
  constexpr std::uint64_t kBytes = 840 * 16;
  for (const int ranks : {2, 4, 8, 16}) {
    const auto p = static_cast<std::uint64_t>(ranks);
    const auto sent = [&](const char* algorithm) {
      return sent_by(make_schedule(algorithm, ranks, kBytes), 1);
    };
    EXPECT_EQ(sent("allreduce_ring"), 2 * (p - 1) * kBytes / p);
    EXPECT_EQ(sent("allreduce_rabenseifner"), 2 * (p - 1) * kBytes / p);
    EXPECT_EQ(sent("reduce_scatter_ring"), (p - 1) * kBytes / p);
    EXPECT_EQ(sent("allgather_ring"), (p - 1) * kBytes);
    EXPECT_EQ(sent("alltoall_pairwise"), (p - 1) * kBytes);
    EXPECT_EQ(sent("barrier_dissemination"), 0U);
  }
  EXPECT_EQ(sent_by(make_schedule("allreduce_recursive_doubling", 8, 100), 3), 300U);
  // Parts that differ by a byte: all ranks together send 2 (p - 1) times the whole.
  std::uint64_t all = 0;
  const Schedule ring = make_schedule("allreduce_ring", 7, 1001);
  for (int rank = 0; rank < 7; ++rank) all += sent_by(ring, rank);
  EXPECT_EQ(all, 2U * 6 * 1001);
}

TEST(Schedule, UnknownNamesAndNumbersOfRanksAreRefused) {
  EXPECT_THROW(make_schedule("allreduce_star", 4, 8), UsageError);
  EXPECT_THROW(make_schedule("allreduce_ring", 0, 8), UsageError);
  EXPECT_THROW(make_schedule("allreduce_ring", (1 << 20) + 1, 8), UsageError);
}

}  // namespace
}  // namespace scalemark::predict
