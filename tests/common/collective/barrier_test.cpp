// SPDX-License-Identifier: Apache-2.0
// A barrier: nobody leaves before the last has entered, whoever is last.
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "common/base/clock.hpp"
#include "common/collective/dissemination.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::collective {
namespace {

TEST(DisseminationBarrier, NobodyLeavesBeforeTheLastEnters) {
  const mpi::Comm& world = test::world();
  const DisseminationBarrier barrier(world);
  for (int late = 0; late < world.size(); ++late) {
    barrier.wait();
    if (world.rank() == late) std::this_thread::sleep_for(std::chrono::milliseconds(30));
    const auto entered =
        static_cast<std::int64_t>(now_ns());  // one clock for all processes of a node
    barrier.wait();
    const auto left = static_cast<std::int64_t>(now_ns());
    EXPECT_GE(world.min(left), world.max(entered)) << "late: " << late;
  }
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

}  // namespace
}  // namespace scalemark::collective
