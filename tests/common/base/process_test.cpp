// SPDX-License-Identifier: Apache-2.0
// What the kernel says of this process, of one that is not there and of one with an odd name.
#include "common/base/process.hpp"

#include <csignal>

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace scalemark {
namespace {

TEST(Process, SaysStateParentAndStart) {
  const auto own = process_stat(getpid());
  ASSERT_TRUE(own);
  EXPECT_EQ(own->state, 'R');
  EXPECT_EQ(own->parent, getppid());
  EXPECT_FALSE(process_stat(4194304)) << "more than Linux has process ids";
  EXPECT_FALSE(process_stat(-1));
}

/// A name with spaces and parentheses looks like more fields.
TEST(Process, IsFoundBehindAnOddName) {
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_NAME, ") R 1 (x");
    raise(SIGSTOP);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
  ASSERT_TRUE(WIFSTOPPED(status));
  const auto stopped = process_stat(child);
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->state, 'T');
  EXPECT_EQ(stopped->parent, getpid());
  EXPECT_NE(stopped->start_time, "");
  kill(child, SIGKILL);
  siginfo_t ended{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(process_stat(child)->state, 'Z');
  waitpid(child, &status, 0);
  EXPECT_FALSE(process_stat(child));
}

}  // namespace
}  // namespace scalemark
