// SPDX-License-Identifier: Apache-2.0
// Quantiles and the interval of the median against exact arithmetic (tests/golden/stats).
#include "common/stats/summary.hpp"

#include <algorithm>

#include "common/stats/autocorrelation.hpp"
#include "tests/common/stats/golden_values.hpp"

namespace scalemark::stats {
namespace {

using test::expect_close;
using test::number;

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

TEST(Quantile, MeetsReference) {
  const auto arrays = test::golden("quantiles.json").at("arrays");
  ASSERT_FALSE(arrays.empty());
  for (const auto& array : arrays) {
    const std::string name = array.at("name");
    const std::vector<double> x = test::numbers(array.at("x"));
    std::vector<double> sorted = x;
    std::sort(sorted.begin(), sorted.end());
    const double most = largest(x);
    for (const auto& [percent, want] : array.at("type7").items()) {
      // Percents are multiples of 0.1: as thousandths they are the nearest doubles.
      const double p = std::round(std::stod(percent) * 10) / 1000;
      expect_close(quantile_sorted(sorted, p), number(want), 1e-14, 4e-16 * most,
                   name + (" " + percent));
    }
    expect_close(median(x), number(array.at("median")), 1e-12, 1e-15 * most, name);
    expect_close(mad(x), number(array.at("mad_normal")), 1e-12, 1e-15 * most, name);
  }
}

TEST(MedianInterval, MeetsReference) {
  const auto series = test::golden("timeseries.json").at("series");
  ASSERT_FALSE(series.empty());
  for (const auto& one : series) {
    const std::string name = one.at("name");
    const std::vector<double> x = test::numbers(one.at("x"));
    const auto& ess = one.at("ess_sign");
    expect_close(sign_autocorrelation(x).tau, number(ess.at("tau")), 1e-10, 1e-10, name);
    const auto& want = one.at("median_ci_sign");
    expect_close(median(x), number(want.at("median")), 1e-15, 0, name);
    if (number(ess.at("n_eff")) < 3) continue;  // ours is the whole range there, see below
    const Interval got = median_interval(x);
    EXPECT_EQ(got.low, number(want.at("low"))) << name;
    EXPECT_EQ(got.high, number(want.at("high"))) << name;
  }
}

TEST(MedianInterval, IsTheRangeBelowThreeEffectiveValues) {
  const std::vector<double> two = {3, 1};
  EXPECT_EQ(median_interval(two).low, 1);
  EXPECT_EQ(median_interval(two).high, 3);
  // A step in the middle: each half hangs together, hardly two independent values.
  std::vector<double> step(100, 1.0);
  std::fill(step.begin() + 50, step.end(), 2.0);
  EXPECT_GT(sign_autocorrelation(step).tau, 100.0 / 3);
  EXPECT_EQ(median_interval(step).low, 1);
  EXPECT_EQ(median_interval(step).high, 2);
}

// A drift x_i = i has the signs -1...-1 +1...+1: pairs fall linearly from n to 0 at lag n/3, so
// that tau tends to n/3. Long series take a shortcut, which must tell the same.
TEST(AutocorrelationTime, IsAThirdOfADrift) {
  for (const std::size_t n : {1000U, 100000U}) {
    std::vector<double> drift(n);
    for (std::size_t i = 0; i < n; ++i) drift[i] = static_cast<double>(i);
    const double third = static_cast<double>(n) / 3;
    EXPECT_NEAR(sign_autocorrelation(drift).tau, third, 0.01 * third) << n;
  }
}

TEST(Summary, GivesNanForNothingAndForNan) {
  const std::vector<double> broken = {1, std::nan(""), 3};
  EXPECT_TRUE(std::isnan(median({})));
  EXPECT_TRUE(std::isnan(mean({})));
  EXPECT_TRUE(std::isnan(stddev({})));
  EXPECT_TRUE(std::isnan(median(broken)));
  EXPECT_TRUE(std::isnan(median_interval(broken).low));
  EXPECT_EQ(sign_autocorrelation(broken).tau, 1);
}

TEST(Summary, ComputesMeanAndDeviation) {
  const std::vector<double> values = {2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_DOUBLE_EQ(mean(values), 5);
  EXPECT_DOUBLE_EQ(stddev(values), std::sqrt(32.0 / 7));
  EXPECT_EQ(stddev(std::vector<double>{3}), 0);
}

}  // namespace
}  // namespace scalemark::stats
