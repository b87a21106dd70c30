// SPDX-License-Identifier: Apache-2.0
// Two ranks, whose clocks are set apart, measure how far.
#include "common/clock/ping_pong.hpp"

#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/clock.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::clock {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;

TEST(EnoughExchanges, EightAlikeAHundredOrTwentyMilliseconds) {
  EXPECT_FALSE(enough_exchanges(std::vector<std::int64_t>(7, 1000)));
  EXPECT_TRUE(enough_exchanges(std::vector<std::int64_t>(8, 1000)));
  // A shorter one makes those before it unlike.
  std::vector<std::int64_t> trips(20, 1200);
  trips.push_back(1000);
  EXPECT_FALSE(enough_exchanges(trips));
  trips.insert(trips.end(), 6, 1100);
  EXPECT_FALSE(enough_exchanges(trips));
  trips.push_back(1100);
  EXPECT_TRUE(enough_exchanges(trips));
  // None alike.
  trips.clear();
  while (trips.size() < 99) trips.push_back(1000 + 100 * static_cast<std::int64_t>(trips.size()));
  EXPECT_FALSE(enough_exchanges(trips));
  trips.push_back(5);
  EXPECT_TRUE(enough_exchanges(trips));
  trips = {1 * kMillisecond, 2 * kMillisecond, 3 * kMillisecond, 4 * kMillisecond,
           5 * kMillisecond, 6 * kMillisecond, 7 * kMillisecond};
  EXPECT_FALSE(enough_exchanges(trips)) << "28 ms, but seven";
  trips.push_back(8 * kMillisecond);
  EXPECT_TRUE(enough_exchanges(trips));
}

/// The second rank measures the first one's clock by its own.
Reading measure(const Source& theirs, const Source& own) {
  if (test::world().rank() == 1) return ask(test::world(), 0, own);
  answer(test::world(), 1, theirs, 4711);
  return {};
}

TEST(PingPong, OffsetIsKnownToHalfARoundTrip) {
  for (const std::int64_t ahead : {0L, 3'000'000'123L, -2'000'000'007L}) {
    const auto before = static_cast<std::int64_t>(now_ns());
    const Reading reading =
        measure([&] { return now_ns() + static_cast<std::uint64_t>(ahead); }, now_ns);
    if (test::world().rank() == 0) continue;
    EXPECT_GT(reading.local, before);
    EXPECT_LT(reading.local, static_cast<std::int64_t>(now_ns()));
    EXPECT_GT(reading.round_trip, 0);
    EXPECT_LE(std::abs(reading.offset - ahead), reading.round_trip / 2 + 1);
    EXPECT_EQ(reading.carried, 4711);
  }
}

// Clocks that show what we wish: exchange i begins at 100,000 i, and the other rank says i.
TEST(PingPong, TheExchangeWithTheShortestRoundTripCounts) {
  std::uint64_t exchange = 0;
  bool before = true;
  const auto own = [&] {
    const std::uint64_t round_trip = exchange == 41 ? 300 : 700 + 100 * exchange;
    const std::uint64_t stamp = 100'000 * exchange + (before ? 0 : round_trip);
    exchange += before ? 0 : 1;
    before = !before;
    return stamp;
  };
  const Reading reading = measure([&] { return exchange++; }, own);
  EXPECT_EQ(exchange, 100U) << "no eight of them are alike";
  if (test::world().rank() == 0) return;
  EXPECT_EQ(reading.round_trip, 300);
  EXPECT_EQ(reading.local, 4'100'150);
  EXPECT_EQ(reading.offset, 41 - 4'100'150);
}

}  // namespace
}  // namespace scalemark::clock
