// SPDX-License-Identifier: Apache-2.0
// MobileNetV2's arithmetic against published counts.
#include <set>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "suites/imaging/model/mobilenet_shape.hpp"

namespace scalemark::imaging {
namespace {

TEST(MobileNetShape, ChannelsAreRoundedAsPublished) {
  // Widths of torchvision's and the paper's smaller models.
  EXPECT_EQ(round_channels(32 * 0.35), 16);
  EXPECT_EQ(round_channels(24 * 0.5), 16);
  EXPECT_EQ(round_channels(16 * 0.5), 8);
  EXPECT_EQ(round_channels(160 * 0.75), 120);
  EXPECT_EQ(round_channels(32 * 1.4), 48);
  EXPECT_EQ(round_channels(1), 8);
}

TEST(MobileNetShape, MultiplyAddsAreThePublishedOnes) {
  // The paper: 300 million at 224 x 224 with 1000 classes.
  EXPECT_NEAR(multiply_adds(224, 1000), 300.8e6, 0.05e6);
  EXPECT_NEAR(multiply_adds(224, 10), 299.5e6, 0.05e6);
  EXPECT_NEAR(multiply_adds(100, 10), 75.4e6, 0.05e6);
  EXPECT_NEAR(multiply_adds(300, 10), 563e6, 0.5e6);
  EXPECT_NEAR(multiply_adds(700, 10), 2949e6, 0.5e6);
}

TEST(MobileNetShape, TheConvolutionsAreThoseOfThePaper) {
  const std::vector<Convolution> list = convolutions(224);
  ASSERT_EQ(list.size(), 52U);
  EXPECT_EQ(list.front().name, "stem");
  EXPECT_EQ(list.front().out_size(), 112);
  EXPECT_EQ(list.back().name, "head");
  EXPECT_EQ(list.back().in, 320);
  EXPECT_EQ(list.back().out, 1280);
  EXPECT_EQ(list.back().size, 7);
  const Convolution wide = convolution("depthwise14", 224);
  EXPECT_EQ(wide.in, 576);
  EXPECT_EQ(wide.groups, 576);
  EXPECT_EQ(wide.stride, 2);
  EXPECT_EQ(wide.size, 14);
  EXPECT_EQ(convolutions(224).size(), 1 + 17 * 3 - 1 + 1U) << "the first block does not expand";
}

TEST(MobileNetShape, NamesStandForDistinctWork) {
  const std::vector<std::string> names = distinct_convolutions();
  EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
  for (const std::string& a : names) {
    for (const std::string& b : names) {
      EXPECT_EQ(a == b, convolution(a, 224).same_work(convolution(b, 224))) << a << ' ' << b;
    }
  }
  // Every convolution has one that does its work.
  for (const Convolution& layer : convolutions(224)) {
    EXPECT_TRUE(std::any_of(names.begin(), names.end(), [&](const auto& name) {
      return convolution(name, 224).same_work(layer);
    })) << layer.name;
  }
  EXPECT_THROW(convolution("expand1", 224), Error);
}

TEST(MobileNetShape, EveryConvolutionIsCountedUnderOneName) {
  std::int64_t all = 0;
  for (const std::string& name : distinct_convolutions()) all += occurrences(name);
  EXPECT_EQ(all, 52);
  // Table 2 of the paper: 64 channels are expanded by blocks 8 to 11, 160 to 960 by 15 to 17.
  EXPECT_EQ(occurrences("expand8"), 4);
  EXPECT_EQ(occurrences("expand11"), 4) << "by any name";
  EXPECT_EQ(occurrences("depthwise15"), 3);
  EXPECT_EQ(occurrences("stem"), 1);
  EXPECT_THROW(occurrences("expand1"), Error);
}

}  // namespace
}  // namespace scalemark::imaging
