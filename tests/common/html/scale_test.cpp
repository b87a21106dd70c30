// SPDX-License-Identifier: Apache-2.0
// Scales: places of values, and which values are named.
#include "common/html/drawing/scale.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scalemark::html {
namespace {

using testing::ElementsAre;

std::vector<std::string> labels(const Scale& scale) {
  std::vector<std::string> texts;
  for (const Tick& tick : scale.ticks()) texts.push_back(tick.label);
  return texts;
}

TEST(Scale, PutsValuesInProportion) {
  const Scale linear(ScaleKind::linear, 0, 10, 100, 300, "1");
  EXPECT_DOUBLE_EQ(linear.at(0), 100);
  EXPECT_DOUBLE_EQ(linear.at(2.5), 150);
  EXPECT_DOUBLE_EQ(linear.at(10), 300);
  // Downwards, as on screens.
  const Scale log(ScaleKind::log10, 1e-6, 1e-2, 200, 0, "s");
  EXPECT_NEAR(log.at(1e-4), 100, 1e-9);
  EXPECT_NEAR(log.at(1e-3), 50, 1e-9);
}

TEST(Scale, NamesRoundValues) {
  EXPECT_THAT(labels(Scale(ScaleKind::log10, 2e-7, 3e-3, 0, 1, "s")),
              ElementsAre("1 us", "10 us", "100 us", "1 ms"));
  EXPECT_THAT(labels(Scale(ScaleKind::log10, 1.2e-5, 6e-5, 0, 1, "s")),
              ElementsAre("20 us", "30 us", "40 us", "50 us", "60 us"));
  EXPECT_THAT(labels(Scale(ScaleKind::log2, 8, 4096, 0, 1, "By")),
              ElementsAre("8 B", "32 B", "128 B", "512 B", "2 KiB"));
  const Scale rate(ScaleKind::linear, 0, 2.1e10, 0, 1, "By/s");
  EXPECT_EQ(rate.symbol(), "GB/s");
  EXPECT_THAT(labels(rate), ElementsAre("0", "5", "10", "15", "20"));
}

TEST(Scale, HasFewNamesHoweverFarTheEnds) {
  EXPECT_LE(Scale(ScaleKind::log10, 1.1e-9, 0.9e-6, 0, 1, "s").ticks().size(), 9U);
  EXPECT_LE(Scale(ScaleKind::log10, 1e-300, 1e300, 0, 1, "s").ticks().size(), 7U);
  EXPECT_LE(Scale(ScaleKind::log2, 1, 0x1p62, 0, 1, "By").ticks().size(), 7U);
  EXPECT_LE(Scale(ScaleKind::linear, -1e300, 1e300, 0, 1, "1").ticks().size(), 12U);
}

TEST(Scale, DrawsOneValueInTheMiddle) {
  for (const ScaleKind kind : {ScaleKind::linear, ScaleKind::log2, ScaleKind::log10}) {
    const Scale scale(kind, 7, 7, 0, 100, "1");
    EXPECT_NEAR(scale.at(7), 50, 1e-9);
  }
  EXPECT_NEAR(Scale(ScaleKind::linear, 0, 0, 0, 100, "1").at(0), 50, 1e-9);
}

TEST(Scale, HasNoPlaceForWhatItCannotShow) {
  const Scale log(ScaleKind::log10, 1, 10, 0, 1, "s");
  EXPECT_TRUE(log.shown(5));
  EXPECT_FALSE(log.shown(0));
  EXPECT_FALSE(log.shown(-1));
  EXPECT_FALSE(log.shown(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(log.shown(std::numeric_limits<double>::infinity()));
  EXPECT_TRUE(Scale(ScaleKind::linear, 0, 1, 0, 1, "1").shown(-3));
}

}  // namespace
}  // namespace scalemark::html
