// SPDX-License-Identifier: Apache-2.0
// MSER-5 on hand-worked series, change points and flags on the golden series whose kinds are known.
#include "common/stats/steadiness.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "tests/common/stats/golden_values.hpp"

namespace scalemark::stats {
namespace {

using Flags = std::vector<std::string>;

std::map<std::string, std::vector<double>> golden_series() {
  std::map<std::string, std::vector<double>> series;
  const nlohmann::json file = test::golden("timeseries.json");
  for (const auto& one : file.at("series")) series[one.at("name")] = test::numbers(one.at("x"));
  return series;
}

std::vector<double> logs_of(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return values;
}

/// ln of a noisy time of about 1: AR(1) with 2 % spread, and spikes of a half in one of a hundred.
std::vector<double> noise(std::size_t n, double correlation, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values;
  double state = normal(random);
  for (std::size_t i = 0; i < n; ++i) {
    state = correlation * state + std::sqrt(1 - correlation * correlation) * normal(random);
    values.push_back(0.02 * state + (random() % 100 == 0 ? 0.4 : 0));
  }
  return values;
}

std::vector<double> times_of(std::vector<double> logs) {
  for (double& value : logs) value = std::exp(value);
  return logs;
}

void raise(std::vector<double>& values, std::size_t begin, std::size_t end, double by) {
  for (std::size_t i = begin; i < end; ++i) values[i] += by;
}

// Batch means 9, 5, 1, 1 of 20 values. z(0) = 44/16, z(1) = (32/3)/9, z(2) = 0.
TEST(Mser5, DropsTheBatchesBeforeTheLevel) {
  std::vector<double> values;
  for (const double mean : {9.0, 5.0, 1.0, 1.0}) {
    for (const double part : {-1.0, 1.0, 0.0, -0.5, 0.5}) values.push_back(mean + part);
  }
  const Mser5 result = mser5(values);
  EXPECT_EQ(result.batches, 4U);
  EXPECT_EQ(result.truncate(), 10U);
  EXPECT_TRUE(result.at_limit);
  EXPECT_NEAR(result.statistic, 0, 1e-15);
  values.resize(19);
  EXPECT_TRUE(mser5(values).too_short);
  EXPECT_EQ(mser5(values).truncate(), 0U);
}

TEST(ChangePoints, AreFoundInTheGoldenSeriesThatHaveThem) {
  const auto series = golden_series();
  const auto late = change_points(logs_of(series.at("late_shift")));
  ASSERT_EQ(late.size(), 1U);
  EXPECT_NEAR(static_cast<double>(late[0].index), 0.7 * 240, 3);
  EXPECT_LT(late[0].change, -0.1);
  const auto warm = change_points(logs_of(series.at("warmup_step")));
  ASSERT_EQ(warm.size(), 1U);
  EXPECT_NEAR(static_cast<double>(warm[0].index), 60, 3);
  for (const char* steady : {"ar1_rho0_ns", "ar1_rho0.3_ns", "ar1_rho0.5_ns", "ar1_rho0.8_ns",
                             "ar1_rho0.95_ns", "ar1_negative", "spikes", "periodic",
                             "quantised_ties", "constant", "one_huge_first", "n24"}) {
    EXPECT_TRUE(change_points(logs_of(series.at(steady))).empty()) << steady;
  }
}

// The penalty is meant to be silent: of 200 series of correlated noise with spikes, none to two.
TEST(ChangePoints, AreRareInCorrelatedNoise) {
  for (const double correlation : {0.0, 0.5, 0.9}) {
    int found = 0;
    for (unsigned seed = 0; seed < 200; ++seed) {
      if (!change_points(noise(400, correlation, seed)).empty()) ++found;
    }
    EXPECT_LE(found, 2) << correlation;
  }
}

TEST(ChangePoints, FindShiftsThatComeAndGo) {
  int found = 0;
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::vector<double> values = noise(600, 0.3, seed);
    raise(values, 200, 350, 0.08);  // throttled for a while
    const auto changes = change_points(values);
    if (changes.size() != 2) continue;
    ++found;
    EXPECT_NEAR(static_cast<double>(changes[0].index), 200, 6);
    EXPECT_NEAR(static_cast<double>(changes[1].index), 350, 6);
    EXPECT_NEAR(changes[0].change, 0.08, 0.02);
    EXPECT_NEAR(changes[1].change, -0.08, 0.02);
  }
  EXPECT_GE(found, 48);
}

TEST(ChangePoints, LeaveSmallShiftsAlone) {
  std::vector<double> values(1000, 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1e-4 * static_cast<double>(i % 3);
  raise(values, 500, 1000, 0.005);
  EXPECT_TRUE(change_points(values).empty());
  raise(values, 500, 1000, 0.01);
  ASSERT_EQ(change_points(values).size(), 1U);
  EXPECT_EQ(change_points(values)[0].index, 500U);
}

TEST(ChangePoints, KeepUpWithLongSeries) {
  std::vector<double> values = noise(200000, 0.5, 1);
  raise(values, 120000, 200000, 0.03);
  const auto changes = change_points(values);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_NEAR(static_cast<double>(changes[0].index), 120000, 1000);
  EXPECT_NEAR(changes[0].change, 0.03, 0.001);
}

TEST(SteadinessFlags, NameWhatTheGoldenSeriesAre) {
  const auto series = golden_series();
  EXPECT_EQ(steadiness_flags(series.at("warmup_exponential"), 0), Flags{"warmup_short"});
  EXPECT_EQ(steadiness_flags(series.at("warmup_step"), 0), Flags{"warmup_short"});
  EXPECT_EQ(steadiness_flags(series.at("warmup_step"), 60), Flags{});
  EXPECT_EQ(steadiness_flags(series.at("warmup_exponential"), 100), Flags{});
  EXPECT_EQ(steadiness_flags(series.at("late_shift"), 10), Flags{"shift_in_run"});
  const Flags drift = steadiness_flags(series.at("drift"), 10);
  EXPECT_TRUE(std::ranges::count(drift, "not_steady") == 1);
  for (const char* steady : {"ar1_rho0_ns", "ar1_rho0.5_ns", "ar1_rho0.8_ns", "spikes", "constant"})
    EXPECT_EQ(steadiness_flags(series.at(steady), 5), Flags{}) << steady;
}

// A clock of 1 us and times of 20 us: readings of 20 and 21 that change their mix are no shift
// unless the mix differs by more than the steps explain.
TEST(SteadinessFlags, KnowTheStepsOfTheClock) {
  std::vector<double> times(400, 20.0);
  for (std::size_t i = 0; i < times.size(); i += 7) times[i] = 21;
  EXPECT_EQ(steadiness_flags(times, 0, 1.0 / 20), Flags{});
}

TEST(SteadinessFlags, SayNothingOfWhatIsNoTime) {
  const std::vector<double> shifted = times_of(noise(100, 0, 1));
  EXPECT_EQ(steadiness_flags({}, 0), Flags{});
  EXPECT_EQ(steadiness_flags(shifted, 100), Flags{});
  std::vector<double> broken = shifted;
  broken[3] = std::nan("");
  EXPECT_EQ(steadiness_flags(broken, 0), Flags{});
  broken[3] = 0;
  EXPECT_EQ(steadiness_flags(broken, 0), Flags{});
}

}  // namespace
}  // namespace scalemark::stats
