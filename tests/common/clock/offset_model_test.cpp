// SPDX-License-Identifier: Apache-2.0
// Offsets between, before and behind anchors, by hand.
#include "common/clock/offset_model.hpp"

#include <string>

#include <gtest/gtest.h>

namespace scalemark::clock {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// A local clock that runs 40 parts in a million slow, and was 7 s behind at its second 100.
OffsetModel slow_clock(std::int64_t error = 1000) {
  OffsetModel model;
  for (const std::int64_t second : {100, 110, 130}) {
    model.add({.local = second * kSecond,
               .offset = 7 * kSecond + 40'000 * (second - 100),
               .error = error});
  }
  return model;
}

TEST(OffsetModel, WithoutAnchorsTheClocksAreOne) {
  const OffsetModel model;
  EXPECT_EQ(model.to_global(42), 42U);
  EXPECT_EQ(model.to_local(42), 42U);
}

TEST(OffsetModel, OneAnchorShiftsAllTimes) {
  OffsetModel behind, ahead;
  behind.add({.local = 50 * kSecond, .offset = 3 * kSecond + 5, .error = 10});
  ahead.add({.local = 50 * kSecond, .offset = -3 * kSecond, .error = 10});
  for (const std::uint64_t second : {10U, 50U, 90U}) {
    const std::uint64_t local = second * kSecond;
    EXPECT_EQ(behind.to_global(local), local + 3 * kSecond + 5);
    EXPECT_EQ(behind.to_local(local + 3 * kSecond + 5), local);
    EXPECT_EQ(ahead.to_global(local), local - 3 * kSecond);
  }
}

TEST(OffsetModel, BetweenAnchorsTheOffsetIsInterpolated) {
  OffsetModel model;
  model.add({.local = 1000, .offset = 500});
  model.add({.local = 2000, .offset = 600});
  model.add({.local = 4000, .offset = 600});
  EXPECT_EQ(model.to_global(1000), 1500U);
  EXPECT_EQ(model.to_global(1250), 1775U);
  EXPECT_EQ(model.to_global(2000), 2600U);
  EXPECT_EQ(model.to_global(3000), 3600U);
  // Anchors so near tell no drift: outside of them the offset stays.
  EXPECT_EQ(model.to_global(4100), 4700U);
  EXPECT_EQ(model.to_global(900), 1400U);
}

TEST(OffsetModel, OutsideOfTheAnchorsTheirDriftGoesOn) {
  const OffsetModel model = slow_clock();
  for (const std::int64_t second : {90, 99, 105, 131, 200}) {
    const auto local = static_cast<std::uint64_t>(second * kSecond);
    const auto offset = 7 * kSecond + 40'000 * (second - 100);
    const std::uint64_t expected = local + static_cast<std::uint64_t>(offset);
    EXPECT_EQ(model.to_global(local), expected) << second;
    EXPECT_EQ(model.to_local(expected), local) << second;
  }
}

// 20 parts in a million: 2 x error / 20 s.
TEST(OffsetModel, UnsureAnchorsTellNoDrift) {
  const auto gained = [](std::int64_t error) {
    const OffsetModel model = slow_clock(error);
    return model.to_global(140 * kSecond) - model.to_global(130 * kSecond) - 10 * kSecond;
  };
  EXPECT_EQ(gained(190'000), 400'000U);  // from the last two, 20 s apart
  EXPECT_EQ(gained(290'000), 400'000U);  // from the first and the last, 30 s apart
  EXPECT_EQ(gained(310'000), 0U);
}

TEST(OffsetModel, AnchorsHalfASecondApartTellTheDrift) {
  const auto gained = [](std::int64_t apart) {
    OffsetModel model;
    model.add({.local = kSecond, .offset = 0});
    model.add({.local = kSecond + apart, .offset = apart / 10'000});
    return model.to_global(10 * kSecond) - model.to_global(9 * kSecond) - kSecond;
  };
  EXPECT_EQ(gained(kSecond / 2), 100'000U);
  EXPECT_EQ(gained(kSecond / 2 - 10'000), 0U);
}

TEST(OffsetModel, BackAndForthIsTheSameTime) {
  OffsetModel model = slow_clock();
  model.add({.local = 131 * kSecond, .offset = 7 * kSecond - 200'000'000, .error = 1});
  for (std::uint64_t local = 80 * kSecond; local < 150 * kSecond; local += 77'777'777)
    EXPECT_NEAR(static_cast<double>(model.to_local(model.to_global(local)) - local + 10), 10, 1);
}

// Offsets that differ by more than any drift explains: time must not run backwards.
TEST(OffsetModel, OfContradictingNeighboursTheSurerOneStays) {
  OffsetModel model;
  model.add({.local = 10'000, .offset = 100, .error = 50});
  model.add({.local = 10'040, .offset = 40, .error = 50});
  ASSERT_EQ(model.anchors().size(), 1U);
  EXPECT_EQ(model.anchors()[0].offset, 100);
  model.add({.local = 20'000, .offset = 2000, .error = 50});
  ASSERT_EQ(model.anchors().size(), 2U);
  model.add({.local = 20'040, .offset = 1940, .error = 49});
  ASSERT_EQ(model.anchors().size(), 2U);
  EXPECT_EQ(model.anchors()[1].offset, 1940);
  std::uint64_t last = 0;
  for (std::uint64_t local = 9000; local < 22'000; ++local) {
    EXPECT_GE(model.to_global(local), last);
    last = model.to_global(local);
  }
}

// 100 parts in a million of 10 s are a millisecond.
TEST(OffsetModel, AnAnchorLessSureThanItsAgedNeighbourGoes) {
  const auto left = [](std::int64_t first_error, std::int64_t second_error) {
    OffsetModel model;
    model.add({.local = 10 * kSecond, .offset = 500, .error = first_error});
    model.add({.local = 20 * kSecond, .offset = 700, .error = second_error});
    std::string offsets;
    for (const Anchor& anchor : model.anchors()) offsets += std::to_string(anchor.offset) + ' ';
    return offsets;
  };
  EXPECT_EQ(left(1000, 900'000), "500 700 ");
  EXPECT_EQ(left(900'000, 1000), "500 700 ");
  EXPECT_EQ(left(1000, 1'002'000), "500 ");
  EXPECT_EQ(left(1'002'000, 1000), "700 ");
}

TEST(OffsetModel, AfterAStepTheNewOffsetCounts) {
  OffsetModel model = slow_clock();
  model.add({.local = 140 * kSecond, .offset = 900 * kSecond, .error = 5000});
  EXPECT_EQ(model.to_global(141 * kSecond), 1041U * kSecond);
  EXPECT_EQ(model.anchors().size(), 1U);
}

TEST(OffsetModel, MemoryIsBoundedAndTheLatestAnchorsStay) {
  OffsetModel model;
  const auto offset_at = [](std::int64_t second) { return second * second; };
  for (std::int64_t second = 1; second <= 5000; ++second)
    model.add({.local = second * kSecond, .offset = offset_at(second), .error = 1});
  EXPECT_EQ(model.anchors().size(), OffsetModel::kMaxAnchors);
  for (std::int64_t second = 5000 - 1000; second <= 5000; ++second) {
    const auto local = static_cast<std::uint64_t>(second * kSecond);
    EXPECT_EQ(model.to_global(local), local + static_cast<std::uint64_t>(offset_at(second)));
  }
}

}  // namespace
}  // namespace scalemark::clock
