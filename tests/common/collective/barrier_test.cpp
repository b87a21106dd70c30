// SPDX-License-Identifier: Apache-2.0
// A barrier: nobody leaves before the last has entered, whoever is last; one that never comes can
// be given up.
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "common/base/clock.hpp"
#include "common/collective/alarm.hpp"
#include "common/collective/dissemination.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::collective {
namespace {

template <typename Barrier>
void expect_that_nobody_leaves_early(Barrier&& barrier) {
  const mpi::Comm& world = test::world();
  for (int late = 0; late < world.size(); ++late) {
    barrier();
    if (world.rank() == late) std::this_thread::sleep_for(std::chrono::milliseconds(30));
    const auto entered =
        static_cast<std::int64_t>(now_ns());  // one clock for all processes of a node
    barrier();
    const auto left = static_cast<std::int64_t>(now_ns());
    EXPECT_GE(world.min(left), world.max(entered)) << "late: " << late;
  }
}

TEST(DisseminationBarrier, NobodyLeavesBeforeTheLastEnters) {
  const DisseminationBarrier barrier(test::world());
  expect_that_nobody_leaves_early([&] { barrier.wait(); });
}

TEST(DisseminationBarrier, ManyInARowStayApart) {
  const DisseminationBarrier barrier(test::world());
  for (int i = 0; i < 2000; ++i) barrier.wait();
}

// Its messages must not be taken for the caller's.
TEST(DisseminationBarrier, LeavesOtherMessagesAlone) {
  const mpi::Comm& world = test::world();
  const DisseminationBarrier barrier(world);
  const int next = (world.rank() + 1) % world.size(),
            before = (world.rank() + world.size() - 1) % world.size();
  int sent = world.rank(), got = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  mpi::check(MPI_Isend(&sent, 1, MPI_INT, next, 0, world.get(), &request));
  barrier.wait();
  mpi::check(MPI_Recv(&got, 1, MPI_INT, before, 0, world.get(), MPI_STATUS_IGNORE));
  mpi::check(MPI_Wait(&request, MPI_STATUS_IGNORE));
  EXPECT_EQ(got, before);
}

// Whoever waits leaves, and afterwards no message is left that a later barrier could take for its
// own.
TEST(InterruptibleBarrier, IsGivenUpWhereOneRankDoesNotCome) {
  const mpi::Comm& world = test::world();
  InterruptibleBarrier barrier(world);
  Alarm alarm(world);
  for (int absent = 0; absent < world.size(); ++absent) {
    Interruption interruption;
    for (int i = 0; i < 3; ++i) barrier.wait(interruption);
    if (world.rank() == absent) {
      alarm.raise();
    } else {
      std::thread watcher([&] {
        while (!alarm.is_raised()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        while (!interruption.interrupt({}, [] {})) std::this_thread::yield();
      });
      EXPECT_THROW(barrier.wait(interruption), Interrupted);
      watcher.join();
    }
    barrier.settle();
    alarm.settle();
    EXPECT_FALSE(alarm.is_raised());
    Interruption none;
    expect_that_nobody_leaves_early([&] { barrier.wait(none); });
  }
}

TEST(Interruption, IsSeenByGuardedCallsAndByWaits) {
  Interruption interruption;
  int calls = 0;
  interruption.guard([&] {
    ++calls;
    // From another thread: a guarded call is under way.
    std::thread([&] { EXPECT_FALSE(interruption.interrupt({}, [] {})); }).join();
  });
  EXPECT_FALSE(interruption.is_interrupted());
  int aborts = 0;
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(interruption.interrupt("the reason", [&aborts] { ++aborts; }));
  EXPECT_EQ(aborts, 1);
  EXPECT_THROW(interruption.guard([&] { ++calls; }), Error);
  EXPECT_THROW(interruption.throw_if_interrupted(), Error);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace scalemark::collective
