// SPDX-License-Identifier: Apache-2.0
// What a digest keeps from samples.
#include "common/compare/row_samples.hpp"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/common/compare/synthetic.hpp"
#include "tests/support/generated_runs.hpp"

namespace scalemark::compare {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

RowDigest looked_at(const CaseResult& result) {
  RowDigest row;
  digest_samples(result, *result.find(result.primary_metric), row);
  return row;
}

std::vector<std::uint64_t> noisy(std::size_t count, double level = 1e6) {
  test::Random random(7);
  std::vector<std::uint64_t> times;
  for (std::size_t i = 0; i < count; ++i)
    times.push_back(static_cast<std::uint64_t>(level * std::exp(0.01 * random.normal())));
  return times;
}

// numpy.percentile(numpy.arange(1, 1001), 99) = 990.01; of 1..1001 it is 991.
TEST(RowSamples, KnowTheTailOfAThousandIterations) {
  std::vector<std::uint64_t> times;
  for (std::uint64_t i = 1; i <= 1001; ++i) times.push_back((i * 7919) % 1001 + 1);
  EXPECT_NEAR(looked_at(test::measured("m/x", 1, times)).tail, 991e-9, 1e-18);
  times.erase(std::find(times.begin(), times.end(), 1001U));
  EXPECT_NEAR(looked_at(test::measured("m/x", 1, times)).tail, 990.01e-9, 1e-18);
  times.pop_back();
  EXPECT_TRUE(std::isnan(looked_at(test::measured("m/x", 1, times)).tail));
}

TEST(RowSamples, TheTailOfARateIsThatOfItsTime) {
  CaseResult one = test::measured("m/x", 1000, noisy(1000));
  const double time = looked_at(one).tail;
  one.primary_metric = std::string("bandwidth");
  EXPECT_DOUBLE_EQ(looked_at(one).tail, 1000 / time);
}

TEST(RowSamples, FlagARunThatIsNotOfOneKind) {
  std::vector<std::uint64_t> steady = noisy(400), shifted = steady, warming = steady;
  for (std::size_t i = 280; i < 400; ++i) shifted[i] = shifted[i] * 11 / 10;
  for (std::size_t i = 0; i < 60; ++i) warming[i] = warming[i] * 13 / 10;
  EXPECT_THAT(looked_at(test::measured("m/x", 1, steady)).flags, IsEmpty());
  EXPECT_THAT(looked_at(test::measured("m/x", 1, shifted)).flags, Contains("shift_in_run"));
  EXPECT_THAT(looked_at(test::measured("m/x", 1, warming)).flags, Contains("warmup_short"));
  // Marked as warm-up, the same iterations raise no flag and do not affect the median.
  CaseResult marked = test::measured("m/x", 1, warming);
  marked.metrics[0].samples.warmup.assign(400, 0);
  std::fill_n(marked.metrics[0].samples.warmup.begin(), 60, std::uint8_t{1});
  EXPECT_THAT(looked_at(marked).flags, IsEmpty());
}

TEST(RowSamples, FlagNeighboursThatRepeatEachOther) {
  std::vector<std::uint64_t> waves;
  for (std::size_t i = 0; i < 400; ++i)
    waves.push_back(
        static_cast<std::uint64_t>(1e6 * (1 + 0.002 * std::sin(static_cast<double>(i) / 30))));
  EXPECT_THAT(looked_at(test::measured("m/x", 1, waves)).flags, Contains("few_effective_samples"));
  EXPECT_THAT(looked_at(test::measured("m/x", 1, noisy(400))).flags,
              Not(Contains("few_effective_samples")));
}

TEST(RowSamples, FlagMarkedIterationsThatCount) {
  CaseResult one = test::measured("m/x", 1, noisy(40));
  Samples& samples = one.metrics[0].samples;
  samples.flags.assign(40, 0);
  samples.warmup.assign(40, 0);
  samples.warmup[0] = 1;
  samples.flags[0] = kRetried;
  EXPECT_THAT(looked_at(one).flags, IsEmpty());
  samples.flags[7] = kThrottled | kClockChanged;
  EXPECT_THAT(looked_at(one).flags, ElementsAre("clock_changed", "throttled"));
}

TEST(RowSamples, TelemetryIsTheMiddleOfEachQuantity) {
  Table gpu;
  gpu.columns = {{"t", "s", std::vector<double>{0, 1, 2}},
                 {"device", "", std::vector<std::string>{"a", "a", "a"}},
                 {"clock", "Hz", std::vector<double>{1.41e9, NAN, 1.43e9}},
                 {"throttle_events", "1", std::vector<std::uint64_t>{0, 4, 4}}};
  const std::map<std::string, WatchedValue> medians = telemetry_medians({{"telemetry/gpu", gpu}});
  ASSERT_EQ(medians.size(), 2U);
  EXPECT_DOUBLE_EQ(medians.at("gpu.clock").value, 1.42e9);
  EXPECT_EQ(medians.at("gpu.clock").unit, "Hz");
  EXPECT_DOUBLE_EQ(medians.at("gpu.throttle_events").value, 8.0 / 3);
}

}  // namespace
}  // namespace scalemark::compare
