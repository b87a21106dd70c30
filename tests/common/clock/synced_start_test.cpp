// SPDX-License-Identifier: Apache-2.0
// Ranks begin at one moment, each by its own clock, and say when they came too late for it.
#include "common/clock/synced_start.hpp"

#include <chrono>
#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>

#include "tests/common/clock/fake_machine.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::clock {
namespace {

using test::NodeClock;

using scalemark::test::world;

/// Each rank with a clock of its own, which may hold it up.
class DelayedJob {
 public:
  DelayedJob()
      : mine(world().rank()),
        clock(world(), world().split(world().rank(), 0),
              {.now =
                   [this] {
                     std::this_thread::sleep_for(hold_up);
                     return mine.at(now_ns());
                   },
               .domain = ""}) {}

  /// True time when this rank's clock shows `local`.
  std::int64_t truth(std::uint64_t local) const {
    const auto now = now_ns();
    return static_cast<std::int64_t>(local + now - mine.at(now));
  }

  NodeClock mine;
  std::chrono::nanoseconds hold_up{0};
  SyncedClock clock;
};

TEST(SyncedStart, AllRanksMeanTheSameMoment) {
  const DelayedJob job;
  const SyncedStart start(world(), job.clock);
  EXPECT_EQ(world().min(static_cast<std::int64_t>(start.margin_ns())),
            static_cast<std::int64_t>(start.margin_ns()));
  const auto bound = static_cast<std::int64_t>(job.clock.error_bound_ns());
  std::int64_t last = 0;
  for (int i = 0; i < 50; ++i) {
    const std::uint64_t before = now_ns();
    const Start begin = start.wait();
    EXPECT_GE(begin.began, begin.at);
    const std::int64_t at = job.truth(begin.at);
    EXPECT_LE(world().max(at) - world().min(at), 2 * bound + 3);
    EXPECT_GT(at, last);
    EXPECT_GT(at + bound + 3, static_cast<std::int64_t>(before));
    last = at;
  }
}

// Ranks without a core of their own may begin late at any time, so the starts that count are the
// best of many: a tenth of a round where each rank has a core, and of some round where other
// programs take cores meanwhile.
TEST(SyncedStart, RanksBeginTogether) {
  constexpr int kStarts = 200, kRounds = 100;
  const DelayedJob job;
  const SyncedStart start(world(), job.clock);
  const auto near = static_cast<std::int64_t>(2 * job.clock.error_bound_ns() +
                                              5 * job.clock.round_trip_ns() + 1000);
  const bool own_cores =
      static_cast<unsigned>(world().size()) <= std::thread::hardware_concurrency();
  const int wanted = own_cores ? kStarts / 10 : 0;
  int together = -1, in_time = -1;
  for (int round = 0; round < kRounds && (together < wanted || in_time < wanted); ++round) {
    together = in_time = 0;
    for (int i = 0; i < kStarts; ++i) {
      const Start begin = start.wait();
      const std::int64_t began = job.truth(begin.began);
      together += world().max(began) - world().min(began) <= near ? 1 : 0;
      in_time += world().min(begin.in_time ? 1 : 0) == 1 ? 1 : 0;
    }
  }
  EXPECT_GE(together, wanted);
  EXPECT_GE(in_time, wanted);
}

TEST(SyncedStart, ARankThatIsHeldUpSaysSo) {
  DelayedJob job;
  const SyncedStart start(world(), job.clock);
  const bool held_up = world().rank() == world().size() - 1;
  for (int i = 0; i < 5; ++i) {
    if (held_up) job.hold_up = std::chrono::nanoseconds(2 * start.margin_ns() + 1'000'000);
    const Start begin = start.wait();
    job.hold_up = {};
    if (held_up) {
      EXPECT_FALSE(begin.in_time);
      EXPECT_GT(begin.began, begin.at);
    }
  }
}

TEST(SyncedStart, SomeRanksCanStartWithoutTheOthers) {
  const DelayedJob job;
  const mpi::Comm last = world().split(world().rank() > 0 || world().size() == 1 ? 0 : -1, 0);
  if (last.valid()) {
    const SyncedStart start(last, job.clock);
    const Start begin = start.wait();
    const std::int64_t at = job.truth(begin.at);
    const auto bound = static_cast<std::int64_t>(job.clock.error_bound_ns());
    EXPECT_LE(last.max(at) - last.min(at), 2 * bound + 3);
  }
  world().barrier();
}

}  // namespace
}  // namespace scalemark::clock
