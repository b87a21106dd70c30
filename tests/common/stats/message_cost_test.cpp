// SPDX-License-Identifier: Apache-2.0
// Latency and bandwidth of made-up sweeps whose parts are known.
#include "common/stats/message_cost.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "common/stats/limits.hpp"
#include "common/stats/relative_line.hpp"

namespace scalemark::stats {
namespace {

constexpr double kMicro = 1e-6;
constexpr double kGiga = 1e9;

struct Sweep {
  std::vector<double> bytes, seconds;
};

/// Sizes 1 ... 4 MiB by powers of two; 2 us and 8 GB/s up to 8 KiB, then 5 us and 20 GB/s.
Sweep two_protocols() {
  Sweep sweep;
  for (double bytes = 1; bytes <= 4 * 1024 * 1024; bytes *= 2) {
    sweep.bytes.push_back(bytes);
    sweep.seconds.push_back(bytes <= 8192 ? 2 * kMicro + bytes / (8 * kGiga)
                                          : 5 * kMicro + bytes / (20 * kGiga));
  }
  return sweep;
}

// Two points with y = 1 at x = 0 and y = 3 at x = 1 lie on the line; a third, y = 3 at x = 0, has a
// ninth of the first one's weight: the level at 0 is (1 + 1/3) / (1 + 1/9) = 1.2.
TEST(RelativeLine, WeighsByTheInverseSquare) {
  const RelativeLine line =
      fit_relative_line(std::vector<double>{0, 1, 0}, std::vector<double>{1, 3, 3}).value();
  EXPECT_NEAR(line.offset, 1.2, 1e-12);
  EXPECT_NEAR(line(1), 3, 1e-12);
  EXPECT_NEAR(line.squares, 0.2 * 0.2 + 0.6 * 0.6, 1e-12);
}

TEST(MessageCost, FindsOneLine) {
  std::vector<double> bytes, seconds;
  for (double size = 8; size < 1e7; size *= 4) {
    bytes.push_back(size);
    seconds.push_back(1.5 * kMicro + size / (12.5 * kGiga));
  }
  const CostFit fit = fit_message_cost(bytes, seconds);
  ASSERT_EQ(fit.regimes.size(), 1U);
  EXPECT_NEAR(fit.latency(), 1.5 * kMicro, 1e-15);
  EXPECT_NEAR(fit.bandwidth(), 12.5 * kGiga, 1);
  EXPECT_NEAR(fit.half_bandwidth_bytes(), 18750, 1e-3);
  EXPECT_NEAR(fit.time(1e6), 81.5 * kMicro, 1e-12);
}

TEST(MessageCost, FindsTheProtocolSwitch) {
  const Sweep sweep = two_protocols();
  const CostFit fit = fit_message_cost(sweep.bytes, sweep.seconds);
  ASSERT_EQ(fit.regimes.size(), 2U);
  EXPECT_EQ(fit.regimes[0].last_bytes, 8192);
  EXPECT_EQ(fit.regimes[1].first_bytes, 16384);
  EXPECT_EQ(fit.regimes[0].points, 14U);
  EXPECT_NEAR(fit.latency(), 2 * kMicro, 1e-12);
  EXPECT_NEAR(fit.regimes[0].bandwidth(), 8 * kGiga, 10);
  EXPECT_NEAR(fit.regimes[1].latency, 5 * kMicro, 1e-12);
  EXPECT_NEAR(fit.bandwidth(), 20 * kGiga, 100);
  EXPECT_NEAR(fit.time(8000), 3 * kMicro, 1e-12);
  EXPECT_NEAR(fit.time(16000), 5.8 * kMicro, 1e-12);
  // One line must not be pulled apart by the switch either: asked for one, it stays within it.
  const CostFit one = fit_message_cost(sweep.bytes, sweep.seconds, 1);
  ASSERT_EQ(one.regimes.size(), 1U);
  EXPECT_GT(one.latency(), 2 * kMicro);
  EXPECT_LT(one.latency(), 5 * kMicro);
}

// An error of 2 %, of one sign and the other, is no protocol.
TEST(MessageCost, LeavesNoiseInOneRegime) {
  Sweep sweep = two_protocols();
  for (std::size_t i = 0; i < sweep.bytes.size(); ++i) {
    const double noise = 0.02 * std::sin(static_cast<double>(7 * i * i + 3));
    sweep.seconds[i] = (2 * kMicro + sweep.bytes[i] / (10 * kGiga)) * (1 + noise);
  }
  const CostFit fit = fit_message_cost(sweep.bytes, sweep.seconds);
  EXPECT_EQ(fit.regimes.size(), 1U);
  EXPECT_NEAR(fit.latency(), 2 * kMicro, 0.02 * 2 * kMicro);
  EXPECT_NEAR(fit.bandwidth(), 10 * kGiga, 0.02 * 10 * kGiga);
  EXPECT_LT(fit.relative_rms, 0.02);
}

TEST(MessageCost, DoesNotDependOnOrderOrUnit) {
  Sweep sweep = two_protocols();
  const CostFit first = fit_message_cost(sweep.bytes, sweep.seconds);
  std::reverse(sweep.bytes.begin(), sweep.bytes.end());
  std::reverse(sweep.seconds.begin(), sweep.seconds.end());
  for (double& value : sweep.seconds) value *= 1e6;
  const CostFit second = fit_message_cost(sweep.bytes, sweep.seconds);
  ASSERT_EQ(second.regimes.size(), first.regimes.size());
  EXPECT_NEAR(second.latency(), first.latency() * 1e6, 1e-9);
  EXPECT_NEAR(second.bandwidth() * 1e6, first.bandwidth(), 100);
}

TEST(MessageCost, NeverHasNegativeParts) {
  // Faster with size, as by a cache that fills: no time for bytes, an infinite bandwidth.
  const CostFit falling =
      fit_message_cost(std::vector<double>{1, 2, 4}, std::vector<double>{3, 2, 1}, 1);
  EXPECT_EQ(falling.regimes[0].seconds_per_byte, 0);
  EXPECT_EQ(falling.bandwidth(), kInfinity);
  // A line that would begin below nothing.
  const CostFit steep =
      fit_message_cost(std::vector<double>{1, 2, 4}, std::vector<double>{1, 3, 9}, 1);
  EXPECT_EQ(steep.latency(), 0);
  EXPECT_GT(steep.regimes[0].seconds_per_byte, 1);
}

TEST(MessageCost, HasNoRegimeWithoutTwoSizes) {
  const std::vector<double> one = {8, 8}, good = {1, 2}, bad = {1, 0}, none;
  EXPECT_TRUE(fit_message_cost(one, good).regimes.empty());
  EXPECT_TRUE(fit_message_cost(good, bad).regimes.empty());
  EXPECT_TRUE(fit_message_cost(good, std::vector<double>{1, kNan}).regimes.empty());
  EXPECT_TRUE(fit_message_cost(good, std::vector<double>{1}).regimes.empty());
  EXPECT_TRUE(fit_message_cost(none, none).regimes.empty());
}

/// 2 us and 8 GB/s up to a size, then 5 us and 20 GB/s; errors of up to `noise`.
Sweep dense(std::size_t sizes, std::size_t last_of_first, double noise) {
  Sweep sweep;
  for (std::size_t i = 1; i <= sizes; ++i) {
    const auto bytes = static_cast<double>(64 * i);
    const double seconds =
        i <= last_of_first ? 2 * kMicro + bytes / (8 * kGiga) : 5 * kMicro + bytes / (20 * kGiga);
    sweep.bytes.push_back(bytes);
    sweep.seconds.push_back(seconds * (1 + noise * std::sin(static_cast<double>(7 * i * i))));
  }
  return sweep;
}

// Beyond CostPartitions::kAllCompared sizes not all divisions are compared: the switch is found to
// a point all the same.
TEST(MessageCost, FindsTheSwitchOfALongSweep) {
  for (const std::size_t sizes : {128U, 129U, 1000U, 100'000U}) {
    for (const std::size_t last : {sizes / 4, sizes / 2 + 1, sizes - 40}) {
      const Sweep sweep = dense(sizes, last, 0);
      const CostFit fit = fit_message_cost(sweep.bytes, sweep.seconds);
      ASSERT_EQ(fit.regimes.size(), 2U) << sizes << " " << last;
      EXPECT_EQ(fit.regimes[0].points, last);
      EXPECT_NEAR(fit.latency(), 2 * kMicro, 1e-11);
      EXPECT_NEAR(fit.bandwidth(), 20 * kGiga, 1e4);
      EXPECT_LT(fit.relative_rms, 1e-6);
    }
  }
}

// The sums see the same line as the points: offset and slope free, at 0, and without spread.
TEST(RelativeSums, GiveTheLineOfThePoints) {
  const std::vector<std::vector<double>> times = {
      {1e-6, 2e-6, 2.5e-6, 9e-6}, {4e-6, 3e-6, 2e-6, 1e-6}, {1e-9, 3e-6, 9e-6, 3e-5}};
  const std::vector<double> bytes = {1, 1000, 2000, 9000};
  for (const std::vector<double>& seconds : times) {
    RelativeSums first, second;
    for (std::size_t i = 0; i < 4; ++i) (i < 2 ? first : second).add(bytes[i], seconds[i]);
    first.add(second);
    const RelativeLine sums = first.line().value(),
                       points = fit_relative_line(bytes, seconds).value();
    EXPECT_NEAR(sums.offset, points.offset, 1e-12 * seconds[3]);
    EXPECT_NEAR(sums.slope, points.slope, 1e-12 * seconds[3]);
    EXPECT_NEAR(sums.squares, points.squares, 1e-12);
  }
  RelativeSums same;
  EXPECT_FALSE(same.line());
  same.add(8, 1);
  same.add(8, 2);
  EXPECT_FALSE(same.line());
}

// A fit of the first sizes is that of these sizes alone, to the last bit.
TEST(MessageCostFits, OfTheFirstSizesAreThoseOfTheseAlone) {
  const Sweep sweep = dense(60, 22, 0.02);
  const MessageCostFits fits(sweep.bytes, sweep.seconds);
  for (std::size_t count = 3; count <= 60; ++count) {
    const CostFit alone = fit_message_cost(std::span(sweep.bytes).first(count),
                                           std::span(sweep.seconds).first(count)),
                  fit = fits.first(count);
    EXPECT_EQ(fit.relative_rms, alone.relative_rms);
    ASSERT_EQ(fit.regimes.size(), alone.regimes.size());
    for (std::size_t r = 0; r < fit.regimes.size(); ++r) {
      EXPECT_EQ(fit.regimes[r].latency, alone.regimes[r].latency);
      EXPECT_EQ(fit.regimes[r].seconds_per_byte, alone.regimes[r].seconds_per_byte);
      EXPECT_EQ(fit.regimes[r].points, alone.regimes[r].points);
    }
  }
}

}  // namespace
}  // namespace scalemark::stats
