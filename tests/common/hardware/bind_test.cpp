// SPDX-License-Identifier: Apache-2.0
// Binding this process, in a child, so that the test's own affinity stays as it is.
#include "common/hardware/placement/bind.hpp"

#include <functional>
#include <thread>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace scalemark::hardware {
namespace {

bool in_child(const std::function<bool()>& check) {
  const pid_t child = fork();
  if (child == 0) _exit(check() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(Bind, TheKernelGivesBackWhatWasAsked) {
  const Machine machine = read_machine();
  RankPlacement one;
  one.cpus = {machine.allowed.back()};
  EXPECT_TRUE(in_child([&] {
    const Binding binding = bind(one);
    return binding.applied && binding.cpus == one.cpus && binding.problem.empty();
  }));
  EXPECT_EQ(read_machine().allowed, machine.allowed) << "the parent is as it was";
}

TEST(Bind, ACpuThatIsNotThereIsAProblemAndNoException) {
  RankPlacement one;
  one.cpus = {1000};
  EXPECT_TRUE(in_child([&] {
    const Binding binding = bind(one);
    return !binding.applied && binding.problem.find("1000") != std::string::npos;
  }));
}

TEST(Bind, OneThreadGoesAndTheOthersStay) {
  const CpuSet all = read_machine().allowed;
  CpuSet alone, child_of_it;
  std::thread([&] {
    EXPECT_TRUE(bind_thread({all.back()}));
    alone = bind(RankPlacement{}).cpus;
    std::thread([&] { child_of_it = bind(RankPlacement{}).cpus; }).join();
    EXPECT_FALSE(bind_thread({})) << "nowhere";
    EXPECT_FALSE(bind_thread({CPU_SETSIZE})) << "not to be bound";
    EXPECT_EQ(bind(RankPlacement{}).cpus, alone) << "it stays where it was";
  }).join();
  EXPECT_EQ(alone, CpuSet{all.back()});
  EXPECT_EQ(child_of_it, alone);
  EXPECT_EQ(bind(RankPlacement{}).cpus, all);
}

TEST(Bind, NothingAskedIsNothingApplied) {
  const Binding binding = bind(RankPlacement{});
  EXPECT_FALSE(binding.applied);
  EXPECT_TRUE(binding.problem.empty());
  EXPECT_FALSE(binding.cpus.empty());
}

}  // namespace
}  // namespace scalemark::hardware
