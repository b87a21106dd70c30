// SPDX-License-Identifier: Apache-2.0
// The harness' own communicator on 1, 2 and 4 ranks.
#include "common/mpi/comm.hpp"

#include <chrono>
#include <numeric>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "common/mpi/environment.hpp"
#include "common/mpi/slabs.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::mpi {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using test::world;

rusage usage() {
  rusage result{};
  getrusage(RUSAGE_SELF, &result);
  return result;
}

TEST(Comm, ReducesOverAllRanks) {
  const std::int64_t n = world().size();
  EXPECT_EQ(world().max(world().rank()), n - 1);
  EXPECT_EQ(world().min(-world().rank()), 1 - n);
  EXPECT_EQ(world().sum(world().rank() + 1), n * (n + 1) / 2);
  // Beyond 32 bit.
  EXPECT_EQ(world().sum(std::int64_t{1} << 40), n << 40);
}

TEST(Comm, MaximumOfSpansIsElementwise) {
  std::vector<std::int64_t> values = {world().rank(), -world().rank(), 7};
  world().max(values);
  EXPECT_THAT(values, ElementsAre(world().size() - 1, 0, 7));
  world().max(std::span<std::int64_t>());
}

TEST(Comm, BroadcastsTextOfAnyRank) {
  const int root = world().size() - 1;
  const std::string mine =
      fmt::format("rank {} with a {} inside", world().rank(), std::string(1, '\0'));
  const std::string expected = fmt::format("rank {} with a {} inside", root, std::string(1, '\0'));
  EXPECT_EQ(world().broadcast(mine, root), expected);
  EXPECT_EQ(world().broadcast(world().rank() == 0 ? "" : "not this", 0), "");
}

TEST(Comm, GathersTextsOfUnequalLength) {
  const auto text_of = [](int rank) {
    return std::string(static_cast<std::size_t>(3 * rank), static_cast<char>('a' + rank));
  };
  std::vector<std::string> expected;
  expected.reserve(static_cast<std::size_t>(world().size()));
  for (int rank = 0; rank < world().size(); ++rank) expected.push_back(text_of(rank));
  const auto gathered = world().gather(text_of(world().rank()));
  if (world().rank() == 0) {
    EXPECT_EQ(gathered, expected);
  } else {
    EXPECT_THAT(gathered, IsEmpty());
  }
  EXPECT_EQ(world().all_gather(text_of(world().rank())), expected);
}

TEST(Comm, GathersNumbersByRank) {
  const auto rank = static_cast<std::uint64_t>(world().rank());
  const std::vector<std::uint64_t> mine = {10 * rank, 10 * rank + 1};
  const auto all = world().gather(std::span<const std::uint64_t>(mine));
  const std::vector<double> half = {0.5 * world().rank()};
  const auto halves = world().gather(std::span<const double>(half));
  if (world().rank() != 0) {
    EXPECT_THAT(all, IsEmpty());
    EXPECT_THAT(halves, IsEmpty());
    return;
  }
  ASSERT_EQ(all.size(), 2U * static_cast<std::size_t>(world().size()));
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], 10 * (i / 2) + i % 2);
  for (std::size_t i = 0; i < halves.size(); ++i)
    EXPECT_EQ(halves[i], 0.5 * static_cast<double>(i));
}

// Any slab gives the same rows: one element at a time, a divisor, a non-divisor, all at once.
TEST(Comm, SlabsDoNotChangeWhatIsGathered) {
  std::vector<std::uint64_t> mine(10);
  std::iota(mine.begin(), mine.end(), 100U * static_cast<unsigned>(world().rank()));
  for (const std::size_t slab : {1U, 2U, 3U, 7U, 10U, 1000U}) {
    const auto all = gather_in_slabs<std::uint64_t>(world(), mine, MPI_UINT64_T, slab);
    if (world().rank() != 0) continue;
    ASSERT_EQ(all.size(), mine.size() * static_cast<std::size_t>(world().size()));
    for (std::size_t i = 0; i < all.size(); ++i)
      EXPECT_EQ(all[i], 100 * (i / 10) + i % 10) << "slab " << slab;
  }
  EXPECT_THAT(world().gather(std::span<const double>()), IsEmpty());
}

// What rank 0 keeps of 1024 ranks x 10,000 iterations: more elements than one call moves, so that
// the second call begins within the rows.
TEST(Comm, RowsLongerThanASlabAreGatheredWhole) {
  const auto ranks = static_cast<std::size_t>(world().size());
  std::vector<std::uint64_t> mine(10'240'000 / ranks);
  std::iota(mine.begin(), mine.end(), static_cast<std::uint64_t>(world().rank()) << 40);
  ASSERT_GT(mine.size() * ranks, kSlabElements);
  const auto all = world().gather(std::span<const std::uint64_t>(mine));
  if (world().rank() != 0) return;
  ASSERT_EQ(all.size(), mine.size() * ranks);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    wrong += all[i] == (i / mine.size() << 40) + i % mine.size() ? 0 : 1;
  EXPECT_EQ(wrong, 0U);
}

TEST(Comm, SlabsCoverWithoutOverlap) {
  std::vector<std::pair<std::size_t, int>> pieces;
  for_each_slab(10, 4, [&](std::size_t offset, int count) { pieces.emplace_back(offset, count); });
  EXPECT_THAT(pieces, ElementsAre(std::pair(0UL, 4), std::pair(4UL, 4), std::pair(8UL, 2)));
}

TEST(Comm, SplitLeavesOutNegativeColours) {
  const bool member = world().rank() == 0;
  const Comm first = world().split(member ? 0 : -1, 0);
  EXPECT_EQ(first.valid(), member);
  EXPECT_EQ(first.size(), 1);  // an invalid one too says 1
}

TEST(Comm, SplitOrdersByKey) {
  const Comm reversed = world().split(0, -world().rank());
  EXPECT_EQ(reversed.rank(), world().size() - 1 - world().rank());
  EXPECT_EQ(world().split_node().size(), world().size());  // the tests run on one node
}

TEST(Comm, MovesOwnership) {
  Comm a = world().duplicate();
  const MPI_Comm handle = a.get();
  Comm b = std::move(a);
  EXPECT_FALSE(a.valid());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(b.get(), handle);
  Comm c;
  EXPECT_FALSE(c.valid());
  c = std::move(b);
  EXPECT_EQ(c.get(), handle);
  EXPECT_EQ(c.size(), world().size());
  c.barrier();
}

int count_deletion(MPI_Comm, int, void* counter, void*) {
  ++*static_cast<int*>(counter);
  return MPI_SUCCESS;
}

// MPI tells of the end of a communicator through the attributes that hang on it.
TEST(Comm, FreesWhatItOwnsOnce) {
  int keyval = MPI_KEYVAL_INVALID, freed = 0;
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, count_deletion, &keyval, nullptr));
  {
    Comm first = world().duplicate();
    check(MPI_Comm_set_attr(first.get(), keyval, &freed));
    Comm second = std::move(first);
    EXPECT_EQ(freed, 0);
    second = Comm();
    EXPECT_EQ(freed, 1);
    const Comm third = world().duplicate();
    check(MPI_Comm_set_attr(third.get(), keyval, &freed));
  }
  EXPECT_EQ(freed, 2);
  check(MPI_Comm_free_keyval(&keyval));
}

TEST(Comm, MessagesOfDuplicatesDoNotMix) {
  if (world().size() < 2) GTEST_SKIP() << "needs a peer";
  const Comm other = world().duplicate();
  const int peer = world().rank() ^ 1;
  int here = 0, there = 0;
  MPI_Request requests[2];
  const int one = 1, two = 2;
  check(MPI_Isend(&one, 1, MPI_INT, peer, 0, world().get(), &requests[0]));
  check(MPI_Isend(&two, 1, MPI_INT, peer, 0, other.get(), &requests[1]));
  check(MPI_Recv(&there, 1, MPI_INT, peer, 0, other.get(), MPI_STATUS_IGNORE));
  check(MPI_Recv(&here, 1, MPI_INT, peer, 0, world().get(), MPI_STATUS_IGNORE));
  check(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  EXPECT_EQ(here, 1);
  EXPECT_EQ(there, 2);
}

TEST(Comm, ErrorsNameMpisReasonAndThePlace) {
  try {
    check(MPI_Send(nullptr, 0, MPI_BYTE, world().size() + 5, 0, world().get()));
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::StartsWith("MPI error class 6: "));
    EXPECT_THAT(error.what(),
                ::testing::HasSubstr(is_open_mpi() ? "MPI_ERR_RANK" : "Invalid rank"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("comm_test.cpp"));
  }
}

TEST(Comm, SleepingBarrierWaitsForTheLastAndLeavesTheCore) {
  if (world().size() == 1) GTEST_SKIP() << "nobody to wait for";
  world().barrier();
  const auto start = std::chrono::steady_clock::now();
  const rusage before = usage();
  if (world().rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(400));
  world().sleeping_barrier();
  const double waited =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const rusage after = usage();
  EXPECT_GE(waited, 0.3);
  if (world().rank() == 0) return;
  // About 400 naps; who spins, with or without yielding, takes none of its own will.
  EXPECT_GE(after.ru_nvcsw - before.ru_nvcsw, 20);
}

}  // namespace
}  // namespace scalemark::mpi
