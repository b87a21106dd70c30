// SPDX-License-Identifier: Apache-2.0
// Derived types for counts beyond int, tried with small blocks.
#include "common/collective/mpi_types.hpp"

#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "common/mpi/comm.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::collective {
namespace {

TEST(BigType, HasTheExtentAndSizeOfItsElements) {
  // 0 rest, a rest, less than a block; then beyond 2^31 elements and 2^34 bytes.
  for (const std::size_t count :
       {std::size_t{12}, std::size_t{13}, std::size_t{3}, std::size_t{2'500'000'001}}) {
    const BigType type(count, MPI_INT64_T, 8, count < 100 ? 4 : std::size_t{1} << 24);
    MPI_Count lower = -1, extent = 0, size = 0;
    mpi::check(MPI_Type_get_extent_x(type.get(), &lower, &extent));
    mpi::check(MPI_Type_size_x(type.get(), &size));
    EXPECT_EQ(lower, 0);
    EXPECT_EQ(extent, static_cast<MPI_Count>(8 * count)) << count;
    EXPECT_EQ(size, static_cast<MPI_Count>(8 * count)) << count;
  }
}

TEST(BigType, MovesEveryElement) {
  const mpi::Comm& world = test::world();
  const auto ranks = static_cast<std::size_t>(world.size());
  for (const std::size_t count : {std::size_t{12}, std::size_t{13}, std::size_t{3}}) {
    const BigType type(count, MPI_INT32_T, 4, 4);
    std::vector<std::int32_t> mine(count), all(count * ranks, -1);
    std::iota(mine.begin(), mine.end(), 1000 * world.rank());
    mpi::check(MPI_Allgather(mine.data(), 1, type.get(), all.data(), 1, type.get(), world.get()));
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i], static_cast<std::int32_t>(1000 * (i / count) + i % count))
          << "count " << count << ", " << i;
    }
  }
}

}  // namespace
}  // namespace scalemark::collective
