// SPDX-License-Identifier: Apache-2.0
// The threads of data parallelism: all work is done, exceptions arrive, the team goes on.
#include "suites/imaging/train/team.hpp"

#include <atomic>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "common/hardware/placement/bind.hpp"

namespace scalemark::imaging {
namespace {

TEST(Team, EveryMemberWorksOnceAndInAThreadOfItsOwn) {
  Team team(3, 1);
  std::set<std::thread::id> first;
  for (int round = 0; round < 200; ++round) {
    std::vector<int> calls(3, 0);
    std::vector<std::thread::id> threads(3);
    team.run(3, [&](std::size_t i) {
      ++calls[i];
      threads[i] = std::this_thread::get_id();
    });
    ASSERT_EQ(calls, (std::vector<int>{1, 1, 1})) << round;
    ASSERT_EQ(threads[0], std::this_thread::get_id()) << "the caller is the first member";
    const std::set<std::thread::id> distinct(threads.begin(), threads.end());
    ASSERT_EQ(distinct.size(), 3U);
    if (round == 0) first = distinct;
    ASSERT_EQ(distinct, first) << "they stay";
  }
}

/// Members can only meet if they run at the same time.
TEST(Team, MembersRunAtTheSameTime) {
  Team team(3, 1);
  std::atomic<int> arrived = 0;
  team.run(3, [&](std::size_t) {
    ++arrived;
    while (arrived < 3) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 3);
}

TEST(Team, FewerMembersThanThereAre) {
  Team team(4, 1);
  for (const std::size_t count : {2U, 4U, 1U, 0U, 3U}) {
    std::vector<int> calls(4, 0);
    team.run(count, [&](std::size_t i) { ++calls[i]; });
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(calls[i], i < count ? 1 : 0) << count;
  }
}

TEST(Team, ComputeThreadsAreTheMembersOwn) {
  const int before = at::get_num_threads();
  Team team(3, before + 2);
  std::vector<int> threads(3);
  team.run(3, [&](std::size_t i) { threads[i] = at::get_num_threads(); });
  EXPECT_EQ(threads, (std::vector<int>{before, before + 2, before + 2}))
      << "the caller's are as they were";
}

TEST(Team, MembersRunOnTheirCpus) {
  const hardware::CpuSet all = hardware::read_machine().allowed;
  Team team(4, 1, {{all.front()}, {all.back()}});
  std::vector<hardware::CpuSet> seen(4);
  team.run(4, [&](std::size_t i) { seen[i] = hardware::bind({}).cpus; });
  EXPECT_EQ(seen[0], all) << "the caller stays where it is";
  EXPECT_EQ(seen[1], hardware::CpuSet{all.front()});
  EXPECT_EQ(seen[2], hardware::CpuSet{all.back()});
  EXPECT_EQ(seen[3], all) << "none was named for it";
}

std::string thrown(Team& team, const std::set<std::size_t>& failing, std::atomic<int>& finished) {
  try {
    team.run(3, [&](std::size_t i) {
      if (failing.contains(i)) throw std::runtime_error("member " + std::to_string(i));
      ++finished;
    });
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(Team, TheLowestMembersExceptionArrivesAfterAllHaveEnded) {
  Team team(3, 1);
  const std::vector<std::set<std::size_t>> cases{{0}, {1}, {2}, {1, 2}, {0, 2}, {0, 1, 2}};
  for (const auto& failing : cases) {
    std::atomic<int> finished = 0;
    EXPECT_EQ(thrown(team, failing, finished), "member " + std::to_string(*failing.begin()));
    EXPECT_EQ(finished, static_cast<int>(3 - failing.size()));
    // The next work knows nothing of it.
    finished = 0;
    EXPECT_EQ(thrown(team, {}, finished), "");
    EXPECT_EQ(finished, 3);
  }
}

}  // namespace
}  // namespace scalemark::imaging
