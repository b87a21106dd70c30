// SPDX-License-Identifier: Apache-2.0
// Ranks whose clocks are set apart and drift recover the time of rank 0. How well is judged by the
// round trips of the same run, since a busy machine makes them long.
#include "common/clock/synced_clock.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/common/clock/fake_machine.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::clock {
namespace {

using test::kSecond;
using test::NodeClock;
using test::TrueTime;

using scalemark::test::world;

/// Which ranks read one clock.
struct Layout {
  std::string name;
  std::function<int(int rank, int size)> clock_of;
  bool one_node = false;  ///< set apart by time namespaces, not by nodes
};

std::vector<Layout> layouts() {
  return {
      {"each its own", [](int rank, int) { return rank; }},
      {"pairs", [](int rank, int) { return rank / 2; }},
      {"all but the last", [](int rank, int size) { return rank > 0 && rank == size - 1 ? 1 : 0; }},
      {"odd and even", [](int rank, int) { return rank % 2; }},
      {"odd and even in one node", [](int rank, int) { return rank % 2; }, true},
      {"one", [](int, int) { return 0; }}};
}

/// The ranks of a job as `layout` has it, with a synchronised clock.
struct Job {
  /// Reading the clock takes this rank the times `before_reading` and `after_reading`.
  explicit Job(const Layout& layout, double ppm = 0, std::chrono::microseconds before_reading = {},
               std::chrono::microseconds after_reading = {})
      : own(layout.clock_of(world().rank(), world().size())),
        clocks(static_cast<int>(world().max(own)) + 1),
        origin(world().max(static_cast<std::int64_t>(now_ns()))),
        reference(0, ppm, origin),
        mine(own, ppm, origin) {
    // The order of ranks within a node is none of the clock's business.
    const mpi::Comm node = world().split(layout.one_node ? 0 : own, -world().rank());
    const Source read = [this, before_reading, after_reading] {
      std::this_thread::sleep_for(before_reading);
      const std::uint64_t stamp = mine.at(time.now());
      std::this_thread::sleep_for(after_reading);
      return stamp;
    };
    const std::string domain = layout.one_node ? std::to_string(own) : "the only one";
    clock = std::make_unique<SyncedClock>(world(), node, LocalClock{.now = read, .domain = domain});
  }

  /// Rounds in which rank 0's time comes to all clocks.
  int rounds() const { return static_cast<int>(std::bit_width(static_cast<unsigned>(clocks - 1))); }
  /// How far this rank is from the truth at a moment, either way.
  std::int64_t error_at(std::uint64_t moment) const {
    const auto there = static_cast<std::int64_t>(clock->to_global(mine.at(moment)));
    const auto back = static_cast<std::int64_t>(clock->to_local(reference.at(moment)));
    return std::max(std::abs(there - static_cast<std::int64_t>(reference.at(moment))),
                    std::abs(back - static_cast<std::int64_t>(mine.at(moment))));
  }

  int own, clocks;  ///< which clock this rank reads, and how many there are
  std::int64_t origin;
  TrueTime time;
  NodeClock reference, mine;
  std::unique_ptr<SyncedClock> clock;
};

TEST(SyncedClock, OffsetsAreKnownToHalfTheRoundTrips) {
  for (const Layout& layout : layouts()) {
    SCOPED_TRACE(layout.name);
    Job job(layout);
    const std::uint64_t synced = job.time.now();
    const auto bound = static_cast<std::int64_t>(job.clock->error_bound_ns());
    for (const std::int64_t seconds : {-100, 0, 1, 3600})
      EXPECT_LE(job.error_at(synced + static_cast<std::uint64_t>(seconds * kSecond)), bound + 3);
    const auto trip = static_cast<std::int64_t>(job.clock->round_trip_ns());
    EXPECT_LE(bound, job.rounds() * (trip / 2 + 1));
    // The second measurement is wrong by as much at most, and the one within nodes once more.
    EXPECT_LE(static_cast<std::int64_t>(job.clock->residual_ns()),
              bound + (job.rounds() + 1) * (trip / 2 + 1) + 3);
    job.time.skip(2);
    job.clock->sync();
    const auto later = static_cast<std::int64_t>(job.clock->error_bound_ns());
    EXPECT_LE(job.error_at(synced), std::max(bound, later) + 3);
  }
}

// Rank 0 answers late, and rank 3, which measures itself against rank 2, hears late: both
// measurements are wrong in the same direction, by nearly all that their round trips allow.
TEST(SyncedClock, BoundHoldsTheErrorsOfAllMeasurementsOnTheWay) {
  constexpr std::chrono::microseconds kDelay(200), kNone(0);
  const Job job(layouts().front(), 0, world().rank() == 3 ? kDelay : kNone,
                world().rank() == 0 ? kDelay : kNone);
  const auto bound = static_cast<std::int64_t>(job.clock->error_bound_ns());
  EXPECT_LE(job.error_at(job.time.now()), bound + 3);
  const int delays = world().size() > 3 ? 2 : std::min(world().size() - 1, 1);
  EXPECT_GE(bound, delays * std::chrono::nanoseconds(kDelay).count() / 2);
}

TEST(SyncedClock, TellsHowWellItKnowsTheTimeToAllRanksAlike) {
  for (const Layout& layout : layouts()) {
    SCOPED_TRACE(layout.name);
    const Job job(layout);
    EXPECT_EQ(job.clock->method(), job.clocks == 1 ? "one clock" : "hca3");
    for (const std::uint64_t told :
         {job.clock->residual_ns(), job.clock->round_trip_ns(), job.clock->error_bound_ns()}) {
      const auto mine = static_cast<std::int64_t>(told);
      EXPECT_EQ(world().min(mine), world().max(mine));
    }
    EXPECT_EQ(job.clock->round_trip_ns() > 0, world().size() > 1);
    EXPECT_EQ(job.clock->error_bound_ns() > 0, job.clocks > 1);
  }
}

/// The bound of errors after a sync() of clocks that drift by 100 ppm against each other: what a
/// rank above drifted while it waited for those below is not in the clock's own bound.
std::int64_t sync_and_bound(Job& job) {
  const std::uint64_t before = now_ns();
  job.clock->sync();
  const std::int64_t took = world().max(static_cast<std::int64_t>(now_ns() - before));
  return static_cast<std::int64_t>(job.clock->error_bound_ns()) + took / 5000 + 3;
}

TEST(SyncedClock, DriftIsKnownBetweenAndBehindTwoSyncs) {
  for (const Layout& layout : layouts()) {
    SCOPED_TRACE(layout.name);
    Job job(layout, 50);
    job.time.skip(2000);
    const std::uint64_t begin = job.time.now();
    std::int64_t bound = sync_and_bound(job);
    job.time.skip(500);
    const std::uint64_t between = job.time.now();
    job.time.skip(500);
    bound = std::max(bound, sync_and_bound(job));
    const std::uint64_t end = job.time.now();
    EXPECT_LE(job.error_at(begin), bound);
    EXPECT_LE(job.error_at(between), bound);
    EXPECT_LE(job.error_at(end), bound + bound / 100);
    // A tenth of the time between the syncs: their errors enlarge by a tenth each.
    EXPECT_LE(job.error_at(end + 100 * kSecond), 2 * bound);
    // What is extrapolated can be checked. Parents' drift counts here too, but they wait not long.
    job.time.skip(100);
    job.clock->measure_residual();
    const auto trip = static_cast<std::int64_t>(job.clock->round_trip_ns());
    EXPECT_LE(static_cast<std::int64_t>(job.clock->residual_ns()),
              2 * bound + (job.rounds() + 1) * (trip / 2 + 1));
  }
}

TEST(SyncedClock, RanksOfOneNodeReadOneClock) {
  const SyncedClock clock(world(), world().split_node());
  EXPECT_EQ(clock.method(), "one clock");
  for (const std::uint64_t time : {std::uint64_t{1}, now_ns(), now_ns() + 3600 * kSecond}) {
    EXPECT_EQ(clock.to_global(time), time);
    EXPECT_EQ(clock.to_local(time), time);
  }
  EXPECT_EQ(clock.error_bound_ns(), 0U);
  EXPECT_LE(clock.residual_ns(), clock.round_trip_ns() / 2 + 1);
}

// Clocks that are said to be one, but are not, show in the residual.
TEST(SyncedClock, ResidualShowsAClockThatIsNotItsLeaders) {
  const bool liar = world().rank() == world().size() - 1 && world().rank() > 0;
  const SyncedClock clock(
      world(), world().duplicate(),
      {.now = [&] { return now_ns() + (liar ? 5 * kSecond : 0); }, .domain = "one"});
  const double expected = world().size() > 1 ? 5e9 : 0;
  EXPECT_NEAR(static_cast<double>(clock.residual_ns()), expected,
              static_cast<double>(clock.round_trip_ns() / 2 + 1));
}

// Each rank's clock steps after the sync by more than that of the rank it measures itself against:
// the residual is against rank 0, not against that rank.
TEST(SyncedClock, ResidualAddsUpOnTheWayToTheReference) {
  for (const Layout& layout : layouts()) {
    SCOPED_TRACE(layout.name);
    Job job(layout);
    const auto before = static_cast<double>(job.clock->error_bound_ns());
    const auto step_of = [&](int rank) {
      const int own = layout.clock_of(rank, world().size());
      return own < 4 ? 3 * own : 0;
    };
    job.mine.step(step_of(world().rank()));
    job.clock->measure_residual();
    const auto largest = static_cast<double>(world().max(step_of(world().rank()))) * 1e9;
    const auto trip = static_cast<double>(job.clock->round_trip_ns());
    EXPECT_NEAR(static_cast<double>(job.clock->residual_ns()), largest,
                before + (job.rounds() + 1) * (trip / 2 + 1) + 3);
  }
}

TEST(SyncedClock, TellsHowLongAgoItWasSynced) {
  Job job(layouts().front());
  EXPECT_LT(job.clock->seconds_since_sync(), 1000);
  job.time.skip(1000);
  EXPECT_GE(job.clock->seconds_since_sync(), 1000);
  job.clock->sync();
  EXPECT_LT(job.clock->seconds_since_sync(), 1000);
}

// Its messages must not be taken for the caller's.
TEST(SyncedClock, LeavesOtherMessagesAlone) {
  const int next = (world().rank() + 1) % world().size(),
            before = (world().rank() + world().size() - 1) % world().size();
  const std::int64_t sent = world().rank();
  std::int64_t got = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  mpi::check(MPI_Isend(&sent, 1, MPI_INT64_T, next, 0, world().get(), &request));
  const Job job(layouts().front());
  mpi::check(MPI_Recv(&got, 1, MPI_INT64_T, before, 0, world().get(), MPI_STATUS_IGNORE));
  mpi::check(MPI_Wait(&request, MPI_STATUS_IGNORE));
  EXPECT_EQ(got, before);
}

TEST(SyncedClock, SyncsWhileAnotherThreadCommunicates) {
  const mpi::Comm other = world().duplicate();
  std::int64_t sum = 0;
  std::thread thread([&] {
    for (int i = 0; i < 50; ++i) sum += other.sum(other.rank());
  });
  const Job job(layouts().front());
  thread.join();
  EXPECT_EQ(sum, 25 * std::int64_t{world().size()} * (world().size() - 1));
  EXPECT_LE(job.error_at(job.time.now()),
            static_cast<std::int64_t>(job.clock->error_bound_ns()) + 3);
}

}  // namespace
}  // namespace scalemark::clock
