// SPDX-License-Identifier: Apache-2.0
// Which NCCL is refused; no GPU and no NCCL are needed.
#include "common/collective/nccl_version.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::collective {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(NcclVersion, HasThreeParts) {
  EXPECT_EQ(nccl_version_text(22809), "2.28.9");
  EXPECT_EQ(nccl_version_text(21903), "2.19.3");
}

TEST(NcclVersion, TheSameAndNewerOnesRun) {
  const mpi::Comm& world = test::world();
  EXPECT_NO_THROW(require_nccl(world, 22809, 22809));
  EXPECT_NO_THROW(require_nccl(world, 22900, 22809));
}

TEST(NcclVersion, AnOlderOneOnOneRankIsRefusedOnAll) {
  const mpi::Comm& world = test::world();
  const bool last = world.rank() == world.size() - 1;
  EXPECT_THAT([&] { require_nccl(world, last ? 22107 : 22809, 22809); },
              ThrowsMessage<Unavailable>(
                  AllOf(HasSubstr("2.21.7"), HasSubstr("2.28.9"), HasSubstr("LD_LIBRARY_PATH"))));
}

}  // namespace
}  // namespace scalemark::collective
