// SPDX-License-Identifier: Apache-2.0
// Models of scaling beside those of Extra-P for 200 series (tests/peers/extrap_series.py).
#include "common/predict/scale_model.hpp"

#include <cmath>
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

TEST(ScaleModel, TooFewOrSenselessPointsAreRefused) {
  const std::vector<double> four{1, 2, 4, 8}, five{1, 2, 4, 8, 16};
  EXPECT_THROW(fit_scale_model(four, four), Error);
  EXPECT_THROW(fit_scale_model(five, four), Error);
  const std::vector<double> odd{1, 2, NAN, 8, 16};
  EXPECT_THROW(fit_scale_model(five, odd), Error);
}

}  // namespace
}  // namespace scalemark::predict
