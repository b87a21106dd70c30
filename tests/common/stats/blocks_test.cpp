// SPDX-License-Identifier: Apache-2.0
// Paired differences against R's paired t-test, and what a block's own effect does not change.
#include "common/stats/blocks.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "common/stats/limits.hpp"

namespace scalemark::stats {
namespace {

// Student's sleep data (1908), in R: t.test(extra ~ group, data = sleep, paired = TRUE).
const std::vector<double> kFirst = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
const std::vector<double> kSecond = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

TEST(Blocks, MeetsThePairedTTestOfR) {
  const BlockContrast row = block_contrast(kFirst, kSecond).value();
  const Estimate estimate = moderated(row, {}, kInfinity);
  EXPECT_EQ(row.blocks, 10);
  EXPECT_NEAR(estimate.difference, 1.58, 1e-12);
  EXPECT_NEAR(estimate.difference / estimate.standard_error, 4.0621, 5e-5);
  EXPECT_EQ(estimate.df, 9);
  EXPECT_NEAR(p_different(estimate), 0.002833, 5e-7);
  const Interval interval = confidence_interval(estimate, 0.95);
  EXPECT_NEAR(interval.low, 0.7001142, 5e-8);
  EXPECT_NEAR(interval.high, 2.4598858, 5e-8);
}

TEST(Blocks, CancelWhatIsCommonToABlock) {
  std::vector<double> a = kFirst, b = kSecond;
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] += 1000.0 * static_cast<double>(i * i);
    b[i] += 1000.0 * static_cast<double>(i * i);
  }
  const BlockContrast plain = block_contrast(kFirst, kSecond).value();
  const BlockContrast shifted = block_contrast(a, b).value();
  EXPECT_NEAR(shifted.difference, plain.difference, 1e-9);
  EXPECT_NEAR(shifted.variance, plain.variance, 1e-9);
}

TEST(Blocks, BorrowVarianceFromThePrior) {
  const Prior prior{5, 0.3};
  const BlockContrast row = block_contrast(kFirst, kSecond).value();
  const Estimate estimate = moderated(row, prior, kInfinity);
  // (5 * 0.3 + 9 * 1.512889) / 14, 14 degrees of freedom.
  EXPECT_NEAR(estimate.variance, 1.079714, 1e-6);
  EXPECT_EQ(estimate.df, 14);
  const BlockContrast one = block_contrast(std::vector{1.0}, std::vector{1.5}).value();
  EXPECT_EQ(one.df(), 0);
  EXPECT_EQ(moderated(one, prior, kInfinity).variance, 0.3);
  EXPECT_EQ(moderated(one, prior, kInfinity).df, 5);
}

TEST(Blocks, LeaveOutWhatHasNoPartner) {
  const std::vector<double> a = {1, kNan, 3}, b = {2, 5, 5};
  const BlockContrast row = block_contrast(a, b).value();
  EXPECT_EQ(row.blocks, 2);
  EXPECT_EQ(row.difference, 1.5);
  EXPECT_FALSE(block_contrast(a, std::vector{1.0}));
  EXPECT_FALSE(block_contrast(std::vector{kNan}, std::vector{1.0}));
}

}  // namespace
}  // namespace scalemark::stats
