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

TEST(Roofline, TheLongerOfArithmeticAndMemory) {
  const Roofs roofs{.flops = {{1e6, 1e9}, {1e8, 4e9}}, .bytes = {{1e6, 1e10}}};
  EXPECT_DOUBLE_EQ(roofline_times(roofs, 1e8, 1e6).value().longer(), 0.025) << "arithmetic";
  EXPECT_DOUBLE_EQ(roofline_times(roofs, 1e6, 1e8).value().longer(), 0.01) << "memory";
  EXPECT_DOUBLE_EQ(roofline_times(roofs, 0, 1e6).value().longer(), 1e-4) << "no flops are stated";
  // Between the measured rates, and beyond them that of the nearest.
  EXPECT_NEAR(roofline_times(roofs, 1e7, 1).value().longer(), 1e7 / 2e9, 1e-12);
  EXPECT_DOUBLE_EQ(roofline_times(roofs, 1e3, 1).value().longer(), 1e-6);
  EXPECT_DOUBLE_EQ(roofline_times(roofs, 1e10, 1).value().longer(), 2.5);
}

TEST(Roofline, NeedsARateForWhatIsStated) {
  EXPECT_FALSE(roofline_times({.flops = {{1, 1}}, .bytes = {}}, 1, 1));
  EXPECT_TRUE(roofline_times({.flops = {{1, 1}}, .bytes = {}}, 1, 0));
  EXPECT_FALSE(roofline_times({}, 1, 0));
  EXPECT_FALSE(roofline_times({.flops = {{1, 1}}, .bytes = {{1, 1}}}, 0, 0));
}

}  // namespace
}  // namespace scalemark::predict
