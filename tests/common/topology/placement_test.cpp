// SPDX-License-Identifier: Apache-2.0
// Who gets what: GPUs and cores as a careful engineer would give them by hand, from the machines'
// data.
#include "common/topology/placement.hpp"

#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace scalemark::topology {
namespace {

Machine load(const std::string& name) {
  return read_machine_xml(std::string(SCALEMARK_SOURCE_DIR) + "/tests/topologies/" + name + ".xml");
}

/// "GPU:cpus" of each rank.
std::vector<std::string> placed(const Machine& machine, int ranks, Policy policy = Policy::near,
                                const char* visible = nullptr) {
  PlacementRequest request{.local_ranks = ranks, .policy = policy};
  if (visible) {
    request.all_gpus = false;
    request.visible_gpus = visible_gpus(machine, visible);
  }
  std::vector<std::string> result;
  for (const RankPlacement& rank : place(machine, request))
    result.push_back(std::to_string(rank.gpu) + ":" + to_list(rank.cpus));
  return result;
}

using Rows = std::vector<std::string>;

TEST(PlacementNear, DualSocketWithTwoGpusEach) {
  const Machine machine = load("2xepyc9334-4xh100");
  EXPECT_EQ(placed(machine, 1), (Rows{"0:0-31,64-95"}));
  EXPECT_EQ(placed(machine, 2), (Rows{"0:0-15,64-79", "1:16-31,80-95"}));
  EXPECT_EQ(placed(machine, 3), (Rows{"0:0-15,64-79", "1:16-31,80-95", "2:32-63,96-127"}));
  EXPECT_EQ(placed(machine, 4),
            (Rows{"0:0-15,64-79", "1:16-31,80-95", "2:32-47,96-111", "3:48-63,112-127"}));
  EXPECT_EQ(placed(machine, 8),
            (Rows{"0:0-7,64-71", "1:8-15,72-79", "2:32-39,96-103", "3:40-47,104-111",
                  "0:16-23,80-87", "1:24-31,88-95", "2:48-55,112-119", "3:56-63,120-127"}));
}

TEST(PlacementNear, EightGpusFourASocket) {
  const Machine machine = load("dgx-h100");
  EXPECT_EQ(placed(machine, 1), (Rows{"0:0-55,112-167"}));
  EXPECT_EQ(placed(machine, 4),
            (Rows{"0:0-13,112-125", "1:14-27,126-139", "2:28-41,140-153", "3:42-55,154-167"}));
  EXPECT_EQ(placed(machine, 8),
            (Rows{"0:0-13,112-125", "1:14-27,126-139", "2:28-41,140-153", "3:42-55,154-167",
                  "4:56-69,168-181", "5:70-83,182-195", "6:84-97,196-209", "7:98-111,210-223"}));
}

TEST(PlacementNear, FollowsTheGpusNotTheNodesOnNps4) {
  const Machine machine = load("2xepyc7402-nps4-4xa100");
  EXPECT_EQ(placed(machine, 4),
            (Rows{"0:18-23,66-71", "1:6-11,54-59", "2:42-47,90-95", "3:30-35,78-83"}));
  EXPECT_EQ(placed(machine, 2), (Rows{"0:18-23,66-71", "1:6-11,54-59"}));
  EXPECT_EQ(placed(machine, 8)[4], "0:21-23,69-71")
      << "the second rank on GPU 0 gets the other half of its node";
}

TEST(PlacementNear, OneGpuANodeWithoutThreads) {
  const Machine machine = load("4xgh200");
  EXPECT_EQ(placed(machine, 4), (Rows{"0:0-71", "1:72-143", "2:144-215", "3:216-287"}));
  EXPECT_EQ(placed(machine, 1), (Rows{"0:0-71"}));
}

TEST(PlacementNear, WithoutGpusRanksShareTheCoresEvenly) {
  const Machine machine = load("laptop");
  EXPECT_EQ(placed(machine, 1), (Rows{"-1:0-7"}));
  EXPECT_EQ(placed(machine, 2), (Rows{"-1:0-1,4-5", "-1:2-3,6-7"}));
  EXPECT_EQ(placed(machine, 3), (Rows{"-1:0,4", "-1:1,5", "-1:2,6"}))
      << "equal shares; the fourth core stays free";
  EXPECT_EQ(placed(machine, 4), (Rows{"-1:0,4", "-1:1,5", "-1:2,6", "-1:3,7"}));
}

TEST(PlacementNear, WithoutGpusBlocksOfRanksFillTheNodes) {
  EXPECT_EQ(placed(load("2xepyc9334-4xh100"), 4, Policy::near, ""),
            (Rows{"-1:0-15,64-79", "-1:16-31,80-95", "-1:32-47,96-111", "-1:48-63,112-127"}));
}

TEST(PlacementNear, MoreRanksThanCoresShareThemWithANote) {
  const Machine machine = load("laptop");
  EXPECT_EQ(placed(machine, 8),
            (Rows{"-1:0,4", "-1:0,4", "-1:1,5", "-1:1,5", "-1:2,6", "-1:2,6", "-1:3,7", "-1:3,7"}));
  EXPECT_EQ(place(machine, {.local_ranks = 8}).at(3).note, "8 ranks on 4 cores");
}

TEST(PlacementNear, SharedGpusCarryANote) {
  const auto ranks = place(load("2xepyc9334-4xh100"), {.local_ranks = 5});
  EXPECT_EQ(ranks[0].note, "shares GPU 0 with 1 other rank");
  EXPECT_EQ(ranks[1].note, "");
}

TEST(PlacementCpuset, OnlyAllowedCoresAreGivenAndTheNearestNodeStandsIn) {
  Machine machine = load("2xepyc9334-4xh100");
  machine.allowed = parse_list("0-3,64-67");
  EXPECT_EQ(placed(machine, 4), (Rows{"0:0,64", "1:1,65", "2:2,66", "3:3,67"}));
  const auto ranks = place(machine, {.local_ranks = 4});
  EXPECT_EQ(ranks[3].note, "no core of NUMA node 1 is allowed, node 0 is the nearest");
  EXPECT_EQ(ranks[3].numa, 0);
  EXPECT_EQ(ranks[0].note, "");
}

TEST(PlacementCpuset, NearestMeansWithinThePackageOnNps4) {
  Machine machine = load("2xepyc7402-nps4-4xa100");
  // GPU 0 is on node 3 (package 0); nodes 1 (package 0) and 5 (package 1) may be used.
  machine.allowed = parse_list("6-11,30-35");
  const auto ranks = place(machine, {.local_ranks = 1});
  EXPECT_EQ(ranks[0].numa, 1);
  EXPECT_EQ(to_list(ranks[0].cpus), "6-11");
}

TEST(PlacementCpuset, ACoreWithOneAllowedThreadIsACore) {
  Machine machine = load("laptop");
  machine.allowed = parse_list("0-3");
  EXPECT_EQ(placed(machine, 2), (Rows{"-1:0-1", "-1:2-3"}));
}

TEST(PlacementVisible, RanksFollowTheOrderOfTheVariable) {
  const Machine machine = load("2xepyc9334-4xh100");
  EXPECT_EQ(placed(machine, 2, Policy::near, "2,0"), (Rows{"2:32-63,96-127", "0:0-31,64-95"}));
  const auto ranks = place(machine, {.local_ranks = 2, .all_gpus = false, .visible_gpus = {2, 0}});
  EXPECT_EQ(ranks[0].visible_gpu, 0);
  EXPECT_EQ(ranks[1].visible_gpu, 1);
}

TEST(PlacementVisible, IsReadAsCudaReadsIt) {
  Machine machine = load("2xepyc9334-4xh100");
  for (std::size_t i = 0; i < machine.gpus.size(); ++i)
    machine.gpus[i].uuid = "GPU-" + std::to_string(i) + "abc-def";
  EXPECT_EQ(visible_gpus(machine, "2,0"), (std::vector<int>{2, 0}));
  EXPECT_EQ(visible_gpus(machine, " 1 , 3"), (std::vector<int>{1, 3}));
  EXPECT_EQ(visible_gpus(machine, ""), (std::vector<int>{}));
  EXPECT_EQ(visible_gpus(machine, "-1"), (std::vector<int>{}));
  EXPECT_EQ(visible_gpus(machine, "0,9,1"), (std::vector<int>{0}))
      << "nothing counts from the first invalid entry on";
  EXPECT_EQ(visible_gpus(machine, "1,1"), (std::vector<int>{})) << "a GPU named twice hides all";
  EXPECT_EQ(visible_gpus(machine, "GPU-3abc-def,GPU-1"), (std::vector<int>{3, 1}));
  EXPECT_EQ(visible_gpus(machine, "GPU-"), (std::vector<int>{})) << "more than one begins so";
  EXPECT_EQ(visible_gpus(machine, "99999999999999999999"), (std::vector<int>{}));
}

TEST(PlacementSpread, TakesGpusAndSocketsInTurn) {
  EXPECT_EQ(placed(load("2xepyc9334-4xh100"), 2, Policy::spread),
            (Rows{"0:0-31,64-95", "2:32-63,96-127"}));
  EXPECT_EQ(placed(load("dgx-h100"), 2, Policy::spread),
            (Rows{"0:0-55,112-167", "4:56-111,168-223"}));
  EXPECT_EQ(placed(load("2xepyc7402-nps4-4xa100"), 3, Policy::spread, ""),
            (Rows{"-1:0-5,48-53", "-1:24-29,72-77", "-1:6-11,54-59"}));
}

TEST(PlacementPacked, StaysOnOneNodeWhileItHasRoom) {
  EXPECT_EQ(placed(load("2xepyc9334-4xh100"), 4, Policy::packed),
            (Rows{"0:0-7,64-71", "1:8-15,72-79", "2:16-23,80-87", "3:24-31,88-95"}));
  EXPECT_EQ(placed(load("2xepyc7402-nps4-4xa100"), 8, Policy::packed, "")[7], "-1:7,55")
      << "eight ranks on cores 0..7";
}

TEST(PlacementWrongSocket, GivesTheOtherPackagesCores) {
  EXPECT_EQ(placed(load("2xepyc9334-4xh100"), 4, Policy::wrong_socket),
            (Rows{"0:32-47,96-111", "1:48-63,112-127", "2:0-15,64-79", "3:16-31,80-95"}));
  EXPECT_EQ(placed(load("2xepyc7402-nps4-4xa100"), 1, Policy::wrong_socket),
            (Rows{"0:42-47,90-95"}))
      << "node 3's mirror is node 7";
  const auto alone = place(load("laptop"), {.local_ranks = 1, .policy = Policy::wrong_socket});
  EXPECT_NE(alone[0].note.find("impossible"), std::string::npos);
  EXPECT_EQ(to_list(alone[0].cpus), "0-7");
}

TEST(PlacementNone, AssignsGpusOnly) {
  EXPECT_EQ(placed(load("dgx-h100"), 2, Policy::none), (Rows{"0:", "1:"}));
}

TEST(Policy, NamesAreReadBackAndOthersRefused) {
  for (const Policy policy :
       {Policy::near, Policy::spread, Policy::packed, Policy::wrong_socket, Policy::none}) {
    EXPECT_EQ(policy_from(to_string(policy)), policy);
  }
  EXPECT_THROW(policy_from("nearest"), UsageError);
}

/// What must hold for every machine, policy, rank count and cpuset.
void check_invariants(const Machine& machine, Policy policy, int count) {
  const PlacementRequest request{.local_ranks = count, .policy = policy};
  const auto ranks = place(machine, request);
  ASSERT_EQ(ranks.size(), static_cast<std::size_t>(count));
  std::set<int> used;
  std::size_t given = 0;
  bool shared = false;
  for (const RankPlacement& rank : ranks) {
    ASSERT_FALSE(rank.cpus.empty());
    ASSERT_GT(rank.num_cores, 0);
    ASSERT_TRUE(std::ranges::includes(machine.allowed, rank.cpus)) << "only allowed CPUs";
    used.insert(rank.cpus.begin(), rank.cpus.end());
    given += rank.cpus.size();
    shared = shared || rank.note.find("ranks on") != std::string::npos;
  }
  ASSERT_TRUE(shared || used.size() == given) << "a CPU in two ranks without a note";
  const auto again = place(machine, request);
  for (std::size_t i = 0; i < ranks.size(); ++i)
    ASSERT_EQ(again[i].cpus, ranks[i].cpus) << "deterministic";
}

TEST(Placement, InvariantsHoldUnderRandomCpusets) {
  std::mt19937 random(20260115);
  for (const char* name :
       {"2xepyc9334-4xh100", "dgx-h100", "4xgh200", "2xepyc7402-nps4-4xa100", "laptop"}) {
    const Machine whole = load(name);
    for (int trial = 0; trial < 20; ++trial) {
      Machine machine = whole;
      const unsigned keep = 1 + random() % 4;  // a quarter of the CPUs, a half, ... all of them
      std::erase_if(machine.allowed, [&](int) { return random() % 4 >= keep; });
      if (machine.allowed.empty()) continue;
      for (const Policy policy :
           {Policy::near, Policy::spread, Policy::packed, Policy::wrong_socket}) {
        for (int count = 1; count <= 16; ++count) {
          SCOPED_TRACE(std::string(name) + " " + std::string(to_string(policy)) + " ranks " +
                       std::to_string(count) + " cpuset " + to_list(machine.allowed));
          check_invariants(machine, policy, count);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

}  // namespace
}  // namespace scalemark::topology
