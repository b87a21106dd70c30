// SPDX-License-Identifier: Apache-2.0
// Models of scaling beside those of Extra-P for 200 series (tests/peers/extrap_series.py).
#include "common/predict/scale_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"

namespace scalemark::predict {
namespace {

/// 0 where both are; a coefficient may be 1e-4, and a model a constant.
double relative_error(double got, double want) {
  return got == want ? 0 : std::abs(got - want) / std::abs(want);
}

TEST(ScaleModel, ChoosesTheTermThatExtraPChooses) {
  std::ifstream file(std::string(SCALEMARK_SOURCE_DIR) + "/tests/golden/predict/extrap.json");
  const nlohmann::json golden = nlohmann::json::parse(file);
  int same = 0, all = 0;
  for (const nlohmann::json& one : golden["series"]) {
    const auto ranks = one["ranks"].get<std::vector<double>>();
    const auto values = one["values"].get<std::vector<double>>();
    const ScaleModel model = fit_scale_model(ranks, values);
    const nlohmann::json& theirs = one["model"];
    const bool chosen = relative_error(model.power, theirs["power"]) < 1e-12 &&
                        model.log_power == theirs["log_power"].get<double>();
    EXPECT_TRUE(chosen) << "series " << all << ": " << model.power << ' ' << model.log_power
                        << " with " << model.error << " %, Extra-P " << theirs;
    same += chosen ? 1 : 0;
    ++all;
    if (!chosen) continue;
    const double tolerance = one["noise"].get<double>() == 0 ? 1e-9 : 1e-6;
    EXPECT_LT(relative_error(model.constant, theirs["constant"]), tolerance) << all;
    EXPECT_LT(relative_error(model.coefficient, theirs["coefficient"]), tolerance) << all;
  }
  std::printf("%d of %d as Extra-P\n", same, all);
  EXPECT_EQ(all, 200);
}

TEST(ScaleModel, AConstantIsAConstant) {
  const std::vector<double> ranks{1, 2, 4, 8, 16}, values(5, 3.5);
  const ScaleModel model = fit_scale_model(ranks, values);
  EXPECT_EQ(model.at(1024), 3.5);
  EXPECT_EQ(model.error, 0);
}

TEST(ScaleModel, PredictsBeyondItsPoints) {
  std::vector<double> ranks, values;
  for (double p = 2; p <= 64; p *= 2) {
    ranks.push_back(p);
    values.push_back(10 + 0.5 * p * std::log2(p));
  }
  const ScaleModel model = fit_scale_model(ranks, values);
  EXPECT_NEAR(model.at(4096), 10 + 0.5 * 4096 * 12, 1e-5);
}

/// A point by the least squares of the others.
double left_out(const std::vector<double>& x, const std::vector<double>& y, std::size_t point) {
  double count = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i == point) continue;
    ++count, sx += x[i], sy += y[i], sxx += x[i] * x[i], sxy += x[i] * y[i];
  }
  const double slope = (count * sxy - sx * sy) / (count * sxx - sx * sx);
  return (sy - slope * sx) / count + slope * x[point];
}

/// The error is a mean, in which one bad point of many is lost.
TEST(ScaleModel, TellsTheWorstPoint) {
  std::vector<double> ranks, values, terms;
  for (double p = 2; p <= 128; p *= 2) {
    ranks.push_back(p);
    values.push_back(10 + p);
  }
  EXPECT_NEAR(fit_scale_model(ranks, values).worst_error, 0, 1e-9);
  values[2] *= 1.3;
  const ScaleModel model = fit_scale_model(ranks, values);
  ASSERT_TRUE(model.power > 0 || model.log_power > 0);
  for (const double p : ranks)
    terms.push_back(std::pow(p, model.power) * std::pow(std::log2(p), model.log_power));
  double worst = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    worst = std::max(worst, std::abs(std::log(values[i] / left_out(terms, values, i))));
  EXPECT_NEAR(model.worst_error, worst, 1e-9);
  EXPECT_GT(model.worst_error, 2 * model.error / 100);
}

/// 4 by the mean of four 1, and 1 by that of three 1 and 4.
TEST(ScaleModel, TellsTheWorstPointOfAConstant) {
  const std::vector<double> ranks{1, 2, 4, 8, 16};
  EXPECT_EQ(fit_scale_model(ranks, std::vector<double>(5, 2.0)).worst_error, 0);
  const ScaleModel model = fit_scale_model(ranks, std::vector<double>{1, 1, 4, 1, 1});
  ASSERT_EQ(model.power + model.log_power, 0);
  EXPECT_NEAR(model.worst_error, std::log(4), 1e-12);
}

TEST(ScaleModel, TooFewOrSenselessPointsAreRefused) {
  const std::vector<double> four{1, 2, 4, 8}, five{1, 2, 4, 8, 16};
  EXPECT_THROW(fit_scale_model(four, four), Error);
  EXPECT_THROW(fit_scale_model(five, four), Error);
  const std::vector<double> odd{1, 2, NAN, 8, 16};
  EXPECT_THROW(fit_scale_model(five, odd), Error);
}

}  // namespace
}  // namespace scalemark::predict
