// SPDX-License-Identifier: Apache-2.0
// A gather of more bytes than an int can count, on two ranks.
#include <climits>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "common/mpi/slabs.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::mpi {
namespace {

/// The most memory that this process has had, in bytes.
std::size_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

std::size_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  std::size_t kib = 0;
  while (file >> name >> kib >> unit && name != "MemAvailable:") {
  }
  return kib * 1024;
}

TEST(LargeGather, MoreThanAnIntOfBytesArrivesInBoundedMemory) {
  const Comm& world = test::world();
  const std::size_t ranks = static_cast<std::size_t>(world.size());
  const std::size_t each = (std::size_t{INT_MAX} + 1) / sizeof(std::uint64_t) / ranks + 1000;
  const std::size_t whole = each * ranks * sizeof(std::uint64_t);
  // Equal on all ranks: rank 0's look decides.
  const bool fits = world.broadcast(available_memory() > 3 * whole ? "yes" : "no") == "yes";
  if (!fits) GTEST_SKIP() << "needs " << 3 * whole << " bytes of free memory";
  std::vector<std::uint64_t> mine(each);
  const std::uint64_t mark = static_cast<std::uint64_t>(world.rank() + 1) << 40;
  for (std::size_t i = 0; i < each; ++i) mine[i] = mark + i;
  const std::size_t before = peak_memory();
  const std::vector<std::uint64_t> all = world.gather(std::span<const std::uint64_t>(mine));
  if (world.rank() != 0) return;
  EXPECT_LT(peak_memory(), before + whole + 3 * kSlabElements * sizeof(std::uint64_t));
  ASSERT_EQ(all.size(), each * ranks);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    wrong += all[i] == ((i / each + 1) << 40) + i % each ? 0 : 1;
  EXPECT_EQ(wrong, 0U);
}

}  // namespace
}  // namespace scalemark::mpi
