// SPDX-License-Identifier: Apache-2.0
// Who gets what: GPUs and cores as a careful engineer would give them by hand, from the machines'
// data.
#include "common/hardware/placement/placement.hpp"

#include <algorithm>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "tests/common/hardware/topology.hpp"

namespace scalemark::hardware {
namespace {

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

/// A line of expected_placement.txt.
struct ExpectedPlacement {
  std::string machine, policy, text;
  int ranks = 0;
  bool without_gpus = false;
  Rows rows;
};

std::vector<ExpectedPlacement> expected_placements() {
  std::ifstream file(std::string(SCALEMARK_SOURCE_DIR) +
                     "/tests/common/hardware/expected_placement.txt");
  std::vector<ExpectedPlacement> all;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    ExpectedPlacement one;
    words >> one.machine >> one.policy >> one.ranks;
    one.text = line;
    if (const auto slash = one.policy.find('/'); slash != std::string::npos) {
      one.without_gpus = one.policy.substr(slash) == "/cpu";
      one.policy.resize(slash);
    }
    for (std::string word; words >> word;) one.rows.push_back(word);
    all.push_back(std::move(one));
  }
  return all;
}

/// "GPU:cores" as the table has it, from the threads that place() gave; a core counts only with all
/// its threads.
std::string in_cores(const Machine& machine, const RankPlacement& rank) {
  CpuSet cores;
  for (const Core& core : machine.cores) {
    if (std::ranges::includes(rank.cpus, core.cpus)) cores.push_back(core.index);
  }
  return (rank.gpu < 0 ? "-" : std::to_string(rank.gpu)) + ":" + to_list(cores);
}

TEST(Placement, IsWhatWasWorkedOutByHand) {
  const std::vector<ExpectedPlacement> all = expected_placements();
  ASSERT_GE(all.size(), 170U);
  for (const ExpectedPlacement& one : all) {
    const Machine machine = load(one.machine);
    PlacementRequest request{.local_ranks = one.ranks, .policy = policy_from(one.policy)};
    request.all_gpus = !one.without_gpus;
    Rows rows;
    std::size_t threads = 0;
    for (const RankPlacement& rank : place(machine, request)) {
      rows.push_back(in_cores(machine, rank));
      threads += rank.cpus.size();
    }
    EXPECT_EQ(rows, one.rows) << one.text;
    EXPECT_EQ(threads % machine.cores[0].cpus.size(), 0U) << one.text;
  }
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

TEST(PlacementVisible, EachRankMayHaveAGpuOfItsOwn) {
  const Machine machine = load("2xepyc9334-4xh100");
  PlacementRequest request{.local_ranks = 4};
  request.visible_by_rank = {{0}, {1}, {2}, {3}};  // srun --gpus-per-task=1
  const auto own = place(machine, request);
  for (std::size_t i = 0; i < own.size(); ++i) {
    EXPECT_EQ(own[i].gpu, static_cast<int>(i));
    EXPECT_EQ(own[i].visible_gpu, 0) << "as the rank itself counts";
    EXPECT_EQ(own[i].note, "");
  }
  EXPECT_EQ(to_list(own[2].cpus), "32-47,96-111") << "as if all saw all";
  request.visible_by_rank = {{3, 2}, {3, 2}, {}, {3}};
  const auto mixed = place(machine, request);
  EXPECT_EQ(mixed[0].gpu, 3);
  EXPECT_EQ(mixed[1].gpu, 2);
  EXPECT_EQ(mixed[2].gpu, -1);
  EXPECT_EQ(mixed[3].note, "shares GPU 3 with 1 other rank");
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

TEST(PlacementVisible, OneMigInstanceIsVisible) {
  Machine machine = load("2xepyc9334-4xh100");
  for (std::size_t i = 0; i < machine.gpus.size(); ++i)
    machine.gpus[i].uuid = "GPU-" + std::to_string(i) + "abc-def";
  machine.gpus[1].instances = {"MIG-a", "MIG-b"};
  machine.gpus[2].instances = {"MIG-c"};
  std::string problem;
  EXPECT_EQ(visible_gpus(machine, "MIG-c", &problem), (std::vector<int>{2}));
  EXPECT_EQ(problem, "");
  EXPECT_EQ(visible_gpus(machine, "MIG-GPU-1abc-def/2/0", &problem), (std::vector<int>{1}));
  EXPECT_EQ(problem, "");
  EXPECT_EQ(visible_gpus(machine, "1", &problem), (std::vector<int>{1})) << "its first instance";
  EXPECT_EQ(problem, "");
  EXPECT_EQ(visible_gpus(machine, "0,MIG-b,MIG-c", &problem), (std::vector<int>{1}));
  EXPECT_EQ(problem,
            "CUDA shows a process one MIG instance, that of GPU 1, and no other GPU; "
            "CUDA_VISIBLE_DEVICES of each rank may name another instance");
  EXPECT_EQ(visible_gpus(machine, std::nullopt), (std::vector<int>{1}));
  EXPECT_EQ(visible_gpus(machine, "MIG-b,MIG-b"), (std::vector<int>{}));
  EXPECT_EQ(visible_gpus(machine, "MIG-", &problem), (std::vector<int>{}));
  EXPECT_EQ(
      problem,
      "CUDA_VISIBLE_DEVICES: 'MIG-' names none of the 4 GPUs; it and what follows is ignored");
  machine.gpus[1].instances.clear(), machine.gpus[2].instances.clear();
  EXPECT_EQ(visible_gpus(machine, std::nullopt), (std::vector<int>{0, 1, 2, 3}));
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
}  // namespace scalemark::hardware
