// SPDX-License-Identifier: Apache-2.0
// Names of enumerations, sample values.
#include "common/result/model.hpp"

#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace scalemark {
namespace {

template <class Enum, class From>
void expect_round_trip(std::initializer_list<const char*> names, From from) {
  for (const char* name : names) EXPECT_EQ(to_string(static_cast<Enum>(from(name))), name);
  EXPECT_THROW(from("no such word"), InputError);
  EXPECT_THROW(from(""), InputError);
}

TEST(Names, AreThoseOfTheFileFormat) {
  expect_round_trip<Status>({"ok", "skipped", "failed", "oom", "timeout"}, status_from);
  expect_round_trip<Better>({"lower", "higher", "none"}, better_from);
  expect_round_trip<MetricKind>({"duration", "rate", "count", "ratio"}, metric_kind_from);
  expect_round_trip<RankReduce>({"max", "mean", "root", "sum"}, rank_reduce_from);
}

TEST(Samples, ScaleAndDivideByInner) {
  Samples samples;
  samples.ranks = 2;
  samples.iterations = 3;
  samples.values = std::vector<std::uint64_t>{10, 20, 30, 40, 50, 60};
  samples.scale = 1e-9;
  samples.inner = 10;
  EXPECT_DOUBLE_EQ(samples.value(0, 2), 3e-9);
  EXPECT_DOUBLE_EQ(samples.value(1, 0), 4e-9);
  EXPECT_THROW(static_cast<void>(samples.value(2, 0)), std::out_of_range);
}

TEST(CaseResult, FindsItsMetrics) {
  CaseResult result;
  result.metrics.push_back(
      {.name = "latency", .unit = "s", .formula = {}, .source = {}, .samples = {}});
  ASSERT_NE(result.find("latency"), nullptr);
  EXPECT_EQ(result.find("latency")->unit, "s");
  EXPECT_EQ(result.find("bandwidth"), nullptr);
}

}  // namespace
}  // namespace scalemark
