// SPDX-License-Identifier: Apache-2.0
// Two threads and a library's abort that waits for the other thread.
#include "common/collective/interruption.hpp"

#include <atomic>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace scalemark::collective {
namespace {

TEST(Interruption, LeavesWhileTheAbortStillRuns) {
  Interruption interruption;
  std::atomic<bool> is_aborting = false, may_end = false;
  std::thread watchdog([&] {
    interruption.interrupt({}, [&] {
      is_aborting = true;
      while (!may_end) std::this_thread::yield();  // as NCCL does while a graph refers to it
    });
  });
  while (!is_aborting) std::this_thread::yield();
  bool called = false;
  EXPECT_THROW(interruption.guard([&] { called = true; }), Interrupted);
  EXPECT_FALSE(called);
  may_end = true;
  watchdog.join();
}

TEST(Interruption, TellsTheLibrarysErrorAndAbortsOnce) {
  Interruption interruption;
  int calls = 0, aborts = 0;
  interruption.guard([&] {
    ++calls;
    std::thread watchdog(
        [&] { EXPECT_FALSE(interruption.interrupt({}, [&] { ++aborts; })) << "a call runs"; });
    watchdog.join();
  });
  EXPECT_FALSE(interruption.is_interrupted());
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(interruption.interrupt("broken", [&] { ++aborts; }));
  try {
    interruption.guard([&] { ++calls; });
    ADD_FAILURE() << "an interrupted call runs";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), std::string("broken"));
  }
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(aborts, 1);
}

}  // namespace
}  // namespace scalemark::collective
