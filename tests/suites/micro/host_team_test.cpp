// SPDX-License-Identifier: Apache-2.0
// A team does every member's work once a round, also after its members fell asleep.
#include "suites/micro/memory/host_team.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>

namespace scalemark::micro {
namespace {

TEST(HostTeam, EveryMemberWorksOnceARound) {
  for (const int size : {1, 2, 3, 7}) {
    HostTeam team(size, {});
    EXPECT_EQ(team.size(), size);
    std::vector<int> rounds(static_cast<std::size_t>(size), 0);
    for (int round = 1; round <= 50; ++round) {
      team.run([&](int member) { ++rounds[static_cast<std::size_t>(member)]; });
      for (const int seen : rounds) ASSERT_EQ(seen, round) << "no one is late, or comes twice";
    }
  }
}

TEST(HostTeam, NoneBeginsAnewBeforeAllAreDone) {
  constexpr std::uint64_t kTimes = 200;
  for (const int size : {1, 2, 5}) {
    HostTeam team(size, {});
    std::vector<std::atomic<std::uint64_t>> done(static_cast<std::size_t>(size));
    std::atomic<int> ahead{0};
    const auto work = [&](int member) {
      auto& mine = done[static_cast<std::size_t>(member)];
      for (const auto& other : done) {
        // Each other one has done as many, or one more.
        if (other < mine || other > mine + 1) ++ahead;
      }
      if (member == size - 1 && mine % 50 == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ++mine;
    };
    team.run(work, kTimes);
    for (const auto& one : done) EXPECT_EQ(one, kTimes);
    team.run(work, 0);
    for (const auto& one : done) EXPECT_EQ(one, kTimes);
    EXPECT_EQ(ahead, 0) << size;
  }
}

TEST(HostTeam, SleepersWakeUp) {
  HostTeam team(3, {});
  std::atomic<int> done{0};
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));  // beyond all spinning
    team.run([&](int) { ++done; });
  }
  EXPECT_EQ(done, 9);
}

TEST(HostTeam, MembersRunWhereTheyAreTold) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  std::vector<hardware::CpuSet> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE && cpus.size() < 2; ++cpu) {
    if (CPU_ISSET(cpu, &before)) cpus.push_back({cpu});
  }
  const std::vector<hardware::CpuSet> told = {cpus.front(), cpus.back()};
  {
    HostTeam team(2, told);
    EXPECT_EQ(team.unbound(), 0);
    std::vector<int> seen(2, -1);
    team.run([&](int member) { seen[static_cast<std::size_t>(member)] = sched_getcpu(); });
    EXPECT_EQ(seen, (std::vector<int>{told[0].front(), told[1].front()}));
  }
  cpu_set_t after;
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after)) << "the caller is where it was";
  EXPECT_GT(HostTeam(2, {{CPU_SETSIZE - 1}, {CPU_SETSIZE - 1}}).unbound(), 0);
}

}  // namespace
}  // namespace scalemark::micro
