// SPDX-License-Identifier: Apache-2.0
// Sweeps that become one case: samples, masks, facts, tables, status, and what is refused.
#include "common/result/sweeps.hpp"

#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/result/summarise.hpp"

namespace scalemark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Counts = std::vector<std::uint64_t>;

Metric duration(const std::string& name, std::size_t ranks, Counts values) {
  Metric metric;
  metric.name = name;
  metric.unit = std::string("s");
  metric.samples.ranks = ranks;
  metric.samples.iterations = values.size() / ranks;
  metric.samples.values = std::move(values);
  metric.samples.scale = 1e-9;
  return metric;
}

/// What a sweep of three measured on two ranks.
CaseResult part(int sweep, Counts latency, Counts first_call = {9, 9}) {
  CaseResult result;
  result.index = 4;
  result.key = std::string("test/x ranks=2");
  result.primary_metric = std::string("latency");
  result.metrics = {duration("latency", 2, std::move(latency)),
                    duration("first_call", 2, std::move(first_call))};
  result.verification = {true, 10, 0, "sum"};
  mark_sweep(result, sweep, 3);
  return result;
}

const Samples& latency(const CaseResult& result) { return result.find("latency")->samples; }
const Counts& values(const CaseResult& result) { return std::get<Counts>(latency(result).values); }
std::string text(const CaseResult& result, const std::string& fact) {
  const auto found = result.facts.find(fact);
  return found == result.facts.end() ? "(none)" : to_text(found->second);
}
std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "(not thrown)";
}

TEST(Sweeps, LieOneBehindTheOtherOnEachRank) {
  CaseResult all = part(0, {1, 2, 11, 12});
  append_sweep(all, part(1, {3, 13}));
  append_sweep(all, part(2, {4, 5, 6, 14, 15, 16}));
  EXPECT_EQ(latency(all).ranks, 2U);
  EXPECT_EQ(latency(all).iterations, 6U);
  EXPECT_THAT(values(all), ElementsAre(1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16));
  EXPECT_EQ(text(all, "sweep_starts"), "0,2,3");
  EXPECT_THAT(sweep_starts(all, *all.find("latency")), ElementsAre(0, 2, 3));
  EXPECT_EQ(sweeps_of(all), 3);
  EXPECT_EQ(sweeps_planned(all), 3);
  EXPECT_EQ(all.verification.checked, 30U);
}

TEST(Sweeps, KeepTheFirstCallOfTheFirst) {
  CaseResult all = part(0, {1, 11}, {700, 800});
  append_sweep(all, part(1, {2, 12}, {5, 6}));
  EXPECT_EQ(std::get<Counts>(all.find("first_call")->samples.values), (Counts{700, 800}));
  EXPECT_EQ(text(all, "sweep_starts_first_call"), "(none)");
  EXPECT_THAT(sweep_starts(all, *all.find("first_call")), ElementsAre(0));
}

TEST(Sweeps, OfAMetricWithAnotherCountHaveTheirOwnStarts) {
  const auto with_overlap = [](int sweep, std::size_t count) {
    CaseResult result = part(sweep, {1, 2, 11, 12});
    result.metrics.push_back(duration("elapsed_time", 1, {1, 2}));
    result.metrics.push_back(duration("overall_time", 1, Counts(count, 8)));
    return result;
  };
  CaseResult all = with_overlap(0, 5);
  append_sweep(all, with_overlap(1, 3));
  append_sweep(all, with_overlap(2, 1));
  EXPECT_EQ(text(all, "sweep_starts"), "0,2,4");
  EXPECT_EQ(text(all, "sweep_starts_overall_time"), "0,5,8");
  EXPECT_EQ(text(all, "sweep_starts_elapsed_time"), "(none)");
  EXPECT_THAT(sweep_starts(all, *all.find("elapsed_time")), ElementsAre(0, 2, 4));
  EXPECT_THAT(sweep_starts(all, *all.find("overall_time")), ElementsAre(0, 5, 8));
}

TEST(Sweeps, FillUpMasksThatOneOfThemLacks) {
  CaseResult all = part(0, {1, 2, 11, 12}), second = part(1, {3, 13}), third = part(2, {4, 14});
  all.metrics[0].samples.t0 = {10, 20};
  second.metrics[0].samples.t0 = {70};
  second.metrics[0].samples.flags = {kThrottled};
  third.metrics[0].samples.warmup = {1};
  append_sweep(all, second);
  EXPECT_THAT(latency(all).t0, ElementsAre(10, 20, 70));
  append_sweep(all, third);
  EXPECT_THAT(latency(all).flags, ElementsAre(0, 0, kThrottled, 0));
  EXPECT_THAT(latency(all).warmup, ElementsAre(0, 0, 0, 1));
  EXPECT_TRUE(latency(all).t0.empty()) << "of the third nobody knows when";
}

TEST(Sweeps, JoinFactsByTheirMeaning) {
  CaseResult all = part(0, {1, 11}), second = part(1, {2, 12});
  all.facts["clock_residual"] = 1e-7;
  all.facts["barrier_time"] = 3e-6;
  all.facts["start"] = std::string("clock");
  second.facts["clock_residual"] = 2e-7;
  second.facts["barrier_time"] = 1e-6;
  second.facts["start"] = std::string("barrier");
  second.facts["late_starts"] = std::int64_t{2};
  append_sweep(all, second);
  CaseResult third = part(2, {2, 12});
  third.facts["late_starts"] = std::int64_t{5};
  third.facts["barrier_time"] = 4e-6;
  append_sweep(all, third);
  EXPECT_EQ(std::get<double>(all.facts["clock_residual"]), 2e-7);
  EXPECT_EQ(std::get<double>(all.facts["barrier_time"]), 4e-6);
  EXPECT_EQ(text(all, "start"), "clock");
  EXPECT_EQ(text(all, "late_starts"), "7");
}

TEST(Sweeps, PutTablesOverTimeTogetherAndKeepTheLastOfOthers) {
  const auto with_tables = [](int sweep, std::uint64_t t, double median) {
    CaseResult result = part(sweep, {1, 11});
    result.tables["phases"] = {
        {{"phase", "", std::vector<std::string>{"measure"}}, {"t", "ns", Counts{t}}}};
    result.tables["pairs"] = {{{"latency", "s", std::vector<double>{median}}}};
    return result;
  };
  CaseResult all = with_tables(0, 5, 0.5);
  append_sweep(all, with_tables(1, 7, 0.25));
  EXPECT_EQ(std::get<Counts>(all.tables["phases"].columns[1].values), (Counts{5, 7}));
  EXPECT_THAT(std::get<std::vector<double>>(all.tables["pairs"].columns[0].values),
              ElementsAre(0.25));
}

TEST(Sweeps, SayHowFarTheyAreApart) {
  // Logarithms 0 and 2, then 6 and 8, of the slower rank: MSE 2, MSB 36, n0 2.
  const double e = 1e6;
  const auto at = [e](double log) { return static_cast<std::uint64_t>(e * std::exp(log) + 0.5); };
  CaseResult all = part(0, {1, 1, at(0), at(2)});
  EXPECT_EQ(text(all, "between_sweeps"), "(none)");
  append_sweep(all, part(1, {1, 1, at(6), at(8)}));
  EXPECT_NEAR(std::get<double>(all.facts.at("between_sweeps")), std::sqrt((36.0 - 2) / 2), 1e-6);
  EXPECT_NEAR(std::get<double>(all.facts.at("within_sweeps")), std::sqrt(2.0), 1e-6);
  const stats::RandomEffects spread = spread_of_sweeps(all).value();
  // Warm-up does not count.
  CaseResult warm = part(0, {1, 1, 1, at(9), at(0), at(2)});
  warm.metrics[0].samples.warmup = {1, 0, 0};
  append_sweep(warm, part(1, {1, 1, at(6), at(8)}));
  EXPECT_DOUBLE_EQ(spread_of_sweeps(warm)->between, spread.between);
  // A rate spreads as its time does.
  Metric rate;
  rate.name = std::string("bandwidth");
  rate.kind = MetricKind::rate;
  rate.source = std::string("latency");
  all.metrics.push_back(rate);
  all.primary_metric = std::string("bandwidth");
  EXPECT_DOUBLE_EQ(spread_of_sweeps(all)->between, spread.between);
  // Nobody takes the logarithm of nothing.
  CaseResult zero = part(0, {0, 0});
  append_sweep(zero, part(1, {1, 1}));
  EXPECT_FALSE(spread_of_sweeps(zero));
  EXPECT_EQ(text(zero, "between_sweeps"), "(none)");
}

TEST(Sweeps, OneThatFailsFailsTheCaseAndKeepsTheSamples) {
  CaseResult all = part(0, {1, 11}), failed = part(1, {});
  failed.status = Status::failed;
  failed.reason = std::string("rank 1: 3 of 4 elements wrong");
  failed.verification = {true, 4, 3, "sum"};
  failed.metrics.clear();
  failed.facts.clear();
  mark_sweep(failed, 1, 3);
  EXPECT_TRUE(has_all_sweeps(failed));
  append_sweep(all, failed);
  EXPECT_EQ(all.status, Status::failed);
  EXPECT_EQ(all.reason, "sweep 2 of 3: rank 1: 3 of 4 elements wrong");
  EXPECT_EQ(sweeps_of(all), 1);
  EXPECT_THAT(values(all), ElementsAre(1, 11));
  EXPECT_TRUE(finished(all).wrong_data);
  EXPECT_TRUE(has_all_sweeps(all)) << "it is not tried again";
  // Nothing that comes later makes it better.
  append_sweep(all, part(2, {2, 12}));
  EXPECT_EQ(all.status, Status::failed);
  EXPECT_THAT(values(all), ElementsAre(1, 11));
}

TEST(Sweeps, ThatAreToComeAreKnown) {
  CaseResult all = part(0, {1, 11});
  EXPECT_FALSE(has_all_sweeps(all));
  EXPECT_EQ(finished(all).sweeps, 1);
  append_sweep(all, part(1, {1, 11}));
  EXPECT_EQ(finished(all).sweeps, 2);
  append_sweep(all, part(2, {1, 11}));
  EXPECT_TRUE(has_all_sweeps(all));
  EXPECT_EQ(finished(all).sweeps, FinishedCase::kAllSweeps);
  EXPECT_TRUE(has_all_sweeps(CaseResult{})) << "a run without sweeps";
  EXPECT_EQ(sweeps_of(CaseResult{}), 1);
  CaseResult skipped;
  skipped.status = Status::skipped;
  skipped.reason = std::string("built without CUDA");
  mark_sweep(skipped, 0, 3);
  EXPECT_EQ(skipped.reason, "built without CUDA");
  EXPECT_EQ(sweeps_of(skipped), 0);
}

TEST(Sweeps, OfOtherQuantitiesAreRefusedAndChangeNothing) {
  const CaseResult first = part(0, {1, 11}), fitting = part(1, {2, 12});
  const auto refused = [&](const std::function<void(CaseResult&)>& change) {
    CaseResult all = first, next = fitting;
    change(next);
    const std::string reason = refusal([&] { append_sweep(all, next); });
    EXPECT_EQ(values(all), values(first));
    EXPECT_EQ(all.facts, first.facts);
    return reason;
  };
  EXPECT_THAT(refused([](CaseResult& next) { next.metrics[0].unit = std::string("By"); }),
              HasSubstr("metric 'latency' has the unit By in this sweep and s"));
  EXPECT_THAT(refused([](CaseResult& next) { next.metrics[0].samples.inner = 8; }),
              HasSubstr("operations a sample: 8"));
  EXPECT_THAT(refused([](CaseResult& next) { next.metrics[0].samples.ranks = 1; }),
              HasSubstr("the number of ranks 1"));
  EXPECT_THAT(refused([](CaseResult& next) { next.metrics[0].rank_reduce = RankReduce::mean; }),
              HasSubstr("the rank_reduce mean"));
  EXPECT_THAT(refused([](CaseResult& next) {
                next.metrics[0].samples.values = std::vector<double>{1, 2};
              }),
              HasSubstr("type"));
  EXPECT_THAT(refused([](CaseResult& next) { next.metrics.erase(next.metrics.begin()); }),
              HasSubstr("'latency' of the sweeps before is not in this one"));
  EXPECT_THAT(refused([](CaseResult& next) { next.metrics.push_back(duration("more", 1, {1})); }),
              HasSubstr("'more' is in no sweep before"));
  EXPECT_THAT(refused([](CaseResult& next) { next.key = std::string("test/y"); }),
              HasSubstr("not of one case"));
  EXPECT_THAT(refused([](CaseResult& next) { next.metrics[0].samples.values = Counts{1}; }),
              HasSubstr("samples were not read"));
}

TEST(Sweeps, StartsThatAFileInventsAreRefused) {
  CaseResult all = part(0, {1, 2, 11, 12});
  for (const std::string starts : {"", "1", "0,3", "0,2,1", "0,x", "0,-1", "0,,1"}) {
    all.facts["sweep_starts"] = starts;
    EXPECT_THAT(refusal([&] { sweep_starts(all, all.metrics[0]); }), HasSubstr("sweep_starts"))
        << starts;
  }
}

}  // namespace
}  // namespace scalemark
