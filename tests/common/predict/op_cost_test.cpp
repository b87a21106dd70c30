// SPDX-License-Identifier: Apache-2.0
// Interpolated times, by hand.
#include "common/predict/op_cost.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace scalemark::predict {
namespace {

TEST(OpCost, InterpolatesPowersExactly) {
  const auto time = [](double size) { return 3e-9 * std::pow(size, 1.5); };
  const std::map<double, double> seconds{{16, time(16)}, {256, time(256)}, {1024, time(1024)}};
  for (const double size : {16.0, 17.0, 100.0, 256.0, 1000.0})
    EXPECT_NEAR(interpolated(seconds, size).value(), time(size), 1e-12 * time(size)) << size;
  EXPECT_DOUBLE_EQ(interpolated({{1, 2}, {4, 8}}, 2).value(), 4);
}

TEST(OpCost, GuessesNothingOutside) {
  const std::map<double, double> seconds{{16, 1}, {64, 2}};
  EXPECT_FALSE(interpolated(seconds, 15));
  EXPECT_FALSE(interpolated(seconds, 65));
  EXPECT_FALSE(interpolated({}, 1));
  EXPECT_FALSE(interpolated({{0, 1}, {4, 2}}, 2));
  EXPECT_FALSE(interpolated({{1, 0}, {4, 2}}, 2));
  EXPECT_FALSE(interpolated(seconds, std::nan("")));
}

}  // namespace
}  // namespace scalemark::predict
