// SPDX-License-Identifier: Apache-2.0
// Sleeping child processes are there as long as their owner, and no longer than their parent.
#include "suites/micro/point_to_point/sleeping_children.hpp"

#include <chrono>
#include <fstream>
#include <set>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace scalemark::micro {
namespace {

/// Children of the only thread of a process, zombies too.
std::set<pid_t> children_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", process));
  std::set<pid_t> found;
  for (pid_t child = 0; file >> child;) found.insert(child);
  return found;
}

/// Waits up to ten seconds.
template <typename Condition>
bool comes_true(const Condition& condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(SleepingChildren, AreThereAsLongAsTheirOwner) {
  const std::set<pid_t> before = children_of(getpid());
  {
    const SleepingChildren three(3);
    EXPECT_EQ(children_of(getpid()).size(), before.size() + 3);
    const SleepingChildren none(0), one(1);
    EXPECT_EQ(children_of(getpid()).size(), before.size() + 4);
  }
  EXPECT_EQ(children_of(getpid()), before);
}

TEST(SleepingChildren, EndWithTheirParent) {
  // Orphans come to this process, which therefore sees their end.
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  const pid_t parent = fork();
  ASSERT_GE(parent, 0);
  if (parent == 0) {
    const SleepingChildren two(2);
    while (true) pause();
  }
  ASSERT_TRUE(comes_true([&] { return children_of(parent).size() == 2; }));
  const std::set<pid_t> orphans = children_of(parent);
  ASSERT_EQ(kill(parent, SIGKILL), 0);
  ASSERT_EQ(waitpid(parent, nullptr, 0), parent);
  for (const pid_t orphan : orphans) {
    int status = -1;
    EXPECT_TRUE(comes_true([&] { return waitpid(orphan, &status, WNOHANG) == orphan; }));
    EXPECT_TRUE(WIFEXITED(status));
  }
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
}

}  // namespace
}  // namespace scalemark::micro
