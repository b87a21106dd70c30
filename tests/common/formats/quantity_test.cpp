// SPDX-License-Identifier: Apache-2.0
// Printed numbers keep their digits and their resolution.
#include "common/formats/quantity.hpp"

#include <gtest/gtest.h>

namespace scalemark::formats {
namespace {

void expect_decimal(std::string_view text, std::uint64_t digits, int exponent) {
  const auto decimal = parse_decimal(text);
  ASSERT_TRUE(decimal) << text;
  EXPECT_EQ(decimal->digits, digits) << text;
  EXPECT_EQ(decimal->exponent, exponent) << text;
}

TEST(ParseDecimal, KeepsWhatIsPrinted) {
  expect_decimal("0.10", 10, -2);
  expect_decimal("12", 12, 0);
  expect_decimal("1.2e+05", 12, 4);
  expect_decimal("1e-05", 1, -5);
  expect_decimal("22615160.64", 2261516064, -2);
  expect_decimal("999999999999999999", 999999999999999999, 0);
}

TEST(ParseDecimal, RefusesAllElse) {
  for (const char* text :
       {"", ".", "-1", "+1", "nan", "inf", "1 ", " 1", "1.2.3", "0x10", "1e", "1e99", "1e1.5",
        "1,5", "9999999999999999999", "1e--5", "1e++5", "e5", "N/A"}) {
    EXPECT_FALSE(parse_decimal(text)) << text;
  }
}

TEST(ParseCount, TakesDigitsUpToALimit) {
  EXPECT_EQ(parse_count("100", 100), 100);
  for (const char* text : {"101", "-1", "", "1.0", "1e2", "99999999999999999999", "5 "})
    EXPECT_FALSE(parse_count(text, 100)) << text;
}

TEST(AddMetric, ValuesAreInOurUnitsAndTheScaleIsTheLastPrintedPlace) {
  CaseResult result;
  const Samples latency = add_metric(result, kLatency, {10, -2}).samples;  // 0.10 us
  EXPECT_DOUBLE_EQ(latency.value(0, 0), 1e-7);
  EXPECT_DOUBLE_EQ(latency.scale, 1e-8);
  const Samples bandwidth = add_metric(result, kBandwidthMb, {1532, -2}).samples;  // 15.32 MB/s
  EXPECT_DOUBLE_EQ(bandwidth.value(0, 0), 15.32e6);
  EXPECT_EQ(result.primary_metric, "latency");
  EXPECT_EQ(result.metrics[0].kind, MetricKind::duration);
  EXPECT_EQ(result.metrics[1].better, Better::higher);
  // What other tools print is a mean over ranks: never our maximum.
  EXPECT_EQ(result.metrics[0].rank_reduce, RankReduce::mean);
}

}  // namespace
}  // namespace scalemark::formats
