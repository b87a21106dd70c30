// SPDX-License-Identifier: Apache-2.0
// Selection, expansion, keys and order of a plan.
#include "common/core/plan.hpp"

#include <map>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/core/filter.hpp"
#include "tests/support/growth.hpp"

namespace scalemark {
namespace {

void nothing(Case&) {}

class Plan : public testing::Test {
 protected:
  Plan() {
    registry.add(Benchmark("micro/copy", nothing))
        .axis("direction", {.values = {"h2d", "d2h"}})
        .axis_integer("bytes",
                      {.minimum = 1, .maximum = 1 << 20, .defaults = "8,16", .quick = "16"});
    registry.add(Benchmark("micro/copy_more", nothing))
        .axis("mode", {.values = {"paper", "tuned"}, .defaults = {"paper"}, .implied = "paper"});
    registry.add(Benchmark("imaging/train", nothing)).compute_axes();
    registry.add(Benchmark("llm/absent", nothing)).unavailable("built without it");
  }

  std::vector<std::string> keys(const PlanRequest& request) const {
    std::vector<std::string> result;
    for (const PlannedCase& planned : make_plan(registry, request, context))
      result.push_back(planned.key);
    return result;
  }

  static std::string error_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const UsageError& error) {
      return error.what();
    }
    return "no error";
  }

  Registry registry;
  PlanContext context{2, 3, false};
};

TEST_F(Plan, ExpandsAxesInDeclaredOrderLastFastest) {
  EXPECT_EQ(keys({.filters = {"micro/copy"}}),
            (std::vector<std::string>{"micro/copy bytes=8 direction=h2d ranks=2",
                                      "micro/copy bytes=16 direction=h2d ranks=2",
                                      "micro/copy bytes=8 direction=d2h ranks=2",
                                      "micro/copy bytes=16 direction=d2h ranks=2"}));
}

TEST_F(Plan, AnExactNameSelectsOnlyItself) {
  EXPECT_EQ(keys({.filters = {"micro/copy"}, .quick = true}).size(), 1U);
  EXPECT_EQ(keys({.filters = {"micro/cop"}, .quick = true}).size(), 2U);
}

TEST_F(Plan, AnImpliedValueStaysOutOfTheKeyAndOthersDoNot) {
  PlanRequest request{.filters = {"copy_more"}};
  EXPECT_EQ(keys(request), (std::vector<std::string>{"micro/copy_more ranks=2"}));
  request.overrides = {parse_override("mode=paper,tuned")};
  EXPECT_EQ(keys(request), (std::vector<std::string>{"micro/copy_more ranks=2",
                                                     "micro/copy_more mode=tuned ranks=2"}));
}

TEST_F(Plan, ComputeAxesFollowTheContext) {
  EXPECT_EQ(keys({.filters = {"imaging"}}),
            (std::vector<std::string>{"imaging/train device=cpu ranks=2 threads=3"}));
  context.cuda_usable = true;
  EXPECT_EQ(keys({.filters = {"imaging"}}),
            (std::vector<std::string>{"imaging/train device=cuda ranks=2 threads=3"}));
}

TEST_F(Plan, AnUnavailableBenchmarkIsOneRowWhateverThePresetSays) {
  Preset preset{
      .name = "p", .doc = {}, .policy = {}, .entries = {{"llm/absent", {{"rows", "1,2,3"}}, {}}}};
  EXPECT_EQ(keys({.preset = preset}), (std::vector<std::string>{"llm/absent ranks=2"}));
}

TEST_F(Plan, TheLastOverrideWinsAndMayNameItsBenchmark) {
  PlanRequest request{.filters = {"^micro/copy$"}};
  request.overrides = {parse_override("bytes=1"), parse_override("micro/copy:bytes=2,3"),
                       parse_override("direction=h2d")};
  EXPECT_EQ(keys(request), (std::vector<std::string>{"micro/copy bytes=2 direction=h2d ranks=2",
                                                     "micro/copy bytes=3 direction=h2d ranks=2"}));
}

TEST_F(Plan, ThePresetsOrderAndAxesHoldAndTheFilterNarrows) {
  Preset preset{.name = "p",
                .doc = {},
                .policy = {},
                .entries = {{"micro/copy_more", {}, {}},
                            {"micro/copy", {{"bytes", "4"}, {"direction", "d2h"}}, {}}}};
  EXPECT_EQ(keys({.preset = preset}),
            (std::vector<std::string>{"micro/copy_more ranks=2",
                                      "micro/copy bytes=4 direction=d2h ranks=2"}));
  EXPECT_EQ(keys({.filters = {"micro/copy"}, .preset = preset}).size(), 1U);
}

TEST_F(Plan, PoliciesLayerFromBaseToCommandLine) {
  Preset preset{.name = "p", .doc = {}, .policy = {}, .entries = {{"micro/copy_more", {}, {}}}};
  preset.policy.max_time = 2.0;
  preset.policy.warmup = 7;
  preset.entries[0].policy.max_time = 3.0;
  PlanRequest request{.preset = preset};
  request.command_line.iterations = 4;
  const SamplingPolicy policy = make_plan(registry, request, context)[0].policy;
  EXPECT_EQ(policy.warmup, 7);
  EXPECT_EQ(policy.iterations, 4);
  EXPECT_EQ(policy.max_time, std::numeric_limits<double>::infinity())
      << "a count overrules a time that was set before it";
  request.command_line = {.max_time = 5.0};
  EXPECT_EQ(make_plan(registry, request, context)[0].policy.max_time, 5.0);
}

TEST_F(Plan, ACountObeysATimeThatIsSetBesideOrAfterIt) {
  const SamplingPolicy both = PolicyChange{.iterations = 4, .max_time = 2.0}.apply({});
  EXPECT_EQ(both.max_time, 2.0);
  const SamplingPolicy count = PolicyChange{.iterations = 4}.apply({});
  EXPECT_EQ(PolicyChange{.max_time = 3.0}.apply(count).max_time, 3.0);
  EXPECT_EQ(to_text(count),
            "iterations=4 warmup=auto ci=2 samples=20..100000 time=0..1 volume=4294967296 "
            "verify=true")
      << "its hash is the one of earlier versions";
  EXPECT_NE(to_text(PolicyChange{.iterations = 4, .max_time = 1.0}.apply({})), to_text(count));
}

TEST_F(Plan, OfACountOfSamplesAndOneOfOperationsTheLaterHolds) {
  const SamplingPolicy operations = PolicyChange{.operations = 1000}.apply({});
  EXPECT_EQ(operations.max_time, std::numeric_limits<double>::infinity());
  const SamplingPolicy samples = PolicyChange{.iterations = 4}.apply(operations);
  EXPECT_EQ(samples.operations, std::nullopt);
  const SamplingPolicy again = PolicyChange{.operations = 1000}.apply(samples);
  EXPECT_EQ(again.iterations, std::nullopt);
  EXPECT_EQ(to_text(again), to_text(operations));
  EXPECT_NE(to_text(again), to_text(SamplingPolicy{}));
  const auto both = [] { PolicyChange{.iterations = 4, .operations = 4}.apply({}); };
  EXPECT_NE(error_of(both).find("exclude each other"), std::string::npos);
}

TEST_F(Plan, ATimeAtLeastIsNotAboveTheTimeAtMost) {
  PlanRequest request{.filters = {"^micro/copy$"}};
  request.command_line.min_time = 2.0;
  const std::string error = error_of([&] { make_plan(registry, request, context); });
  EXPECT_NE(error.find("--min-time is 2 s"), std::string::npos) << error;
  EXPECT_NE(error.find("--max-time, 1 s"), std::string::npos) << error;
  request.command_line.max_time = 2.0;
  EXPECT_EQ(make_plan(registry, request, context)[0].policy.min_time, 2.0);
}

TEST_F(Plan, ASizeOfTheCommandLineBelongsToTheBlockOfItsRange) {
  Preset preset{.name = "p", .doc = {}, .policy = {}, .entries = {}};
  for (const auto& [sizes, iterations] :
       {std::pair("8:64:*2", 1000), std::pair("128", 100), std::pair("256:512:*2", 10)}) {
    preset.entries.push_back({"micro/copy", {{"direction", "h2d"}, {"bytes", sizes}}, {}});
    preset.entries.back().policy.iterations = iterations;
  }
  PlanRequest request{.preset = preset};
  request.overrides = {parse_override("bytes=4,64,65,128,129,1024")};
  std::map<std::int64_t, int> iterations;
  for (const PlannedCase& planned : make_plan(registry, request, context))
    iterations[planned.params.integer("bytes")] = planned.policy.iterations.value_or(0);
  EXPECT_EQ(iterations, (std::map<std::int64_t, int>{
                            {4, 1000}, {64, 1000}, {65, 100}, {128, 100}, {129, 10}, {1024, 10}}));
}

TEST_F(Plan, AllRanksAreThoseOfTheJobAsFarAsTheBenchmarkTakesThem) {
  registry.add(Benchmark("micro/many", nothing)).ranks(1, 2);
  registry.add(Benchmark("micro/pair", nothing)).two_ranks();
  context.ranks = 6;
  EXPECT_EQ(keys({.filters = {"many|pair"}, .overrides = {parse_override("ranks=all")}}),
            (std::vector<std::string>{"micro/many ranks=6", "micro/pair ranks=2"}));
  context.ranks = 1;
  EXPECT_EQ(keys({.filters = {"many"}, .overrides = {parse_override("ranks=all")}}),
            (std::vector<std::string>{"micro/many ranks=2"}));
}

TEST_F(Plan, AFilterFindsInANameAndEndsInAnyCase) {
  EXPECT_TRUE(Filter("FILTER", "^mi.ro/(copy|put)$").finds("micro/copy"));
  EXPECT_FALSE(Filter("FILTER", "^copy").finds("micro/copy"));
  EXPECT_TRUE(Filter("FILTER", "").finds("micro/copy"));
  // std::regex has no end for the first one, and no stack for the second one.
  const std::string many(100'000, 'a');
  EXPECT_NE(
      error_of([&] { Filter("CASE", "(a+)+[bc]").finds(many); }).find("CASE is \"(a+)+[bc]\""),
      std::string::npos);
  EXPECT_TRUE(Filter("CASE", ".*").finds(many));
}

TEST_F(Plan, ErrorsNameTheValueAndWhatIsNear) {
  EXPECT_NE(error_of([&] { keys({.filters = {"micro/kopy"}}); }).find("micro/copy"),
            std::string::npos);
  EXPECT_NE(error_of([&] { keys({.filters = {"kopy"}}); }).find("did you mean micro/copy?"),
            std::string::npos);
  EXPECT_NE(error_of([&] { keys({.filters = {"zzzzzz"}}); }).find("scalemark list"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              keys({.filters = {"("}});
            }).find("FILTER is \"(\"; allowed: a regular expression"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              keys({.filters = {"micro"}, .overrides = {parse_override("byte=8")}});
            }).find("bytes"),
            std::string::npos);
  EXPECT_NE(error_of([&] { parse_override("bytes"); }).find("axis=values"), std::string::npos);
  Preset preset{
      .name = "mine", .doc = {}, .policy = {}, .entries = {{"micro/copy", {{"layout", "x"}}, {}}}};
  EXPECT_NE(error_of([&] { keys({.preset = preset}); }).find("layout"), std::string::npos);
}

TEST_F(Plan, RefusesMoreCasesThanAnyoneRuns) {
  PlanRequest request{.filters = {"^micro/copy$"}};
  request.overrides = {parse_override("bytes=1:99999:+1")};
  EXPECT_NE(error_of([&] { keys(request); }).find("100000"), std::string::npos);
}

TEST_F(Plan, HashChangesWithKeysAndPolicies) {
  PlanRequest request{.filters = {"^micro/copy$"}};
  const std::string before = plan_hash(make_plan(registry, request, context));
  EXPECT_EQ(plan_hash(make_plan(registry, request, context)), before);
  request.command_line.iterations = 4;
  EXPECT_NE(plan_hash(make_plan(registry, request, context)), before);
}

TEST_F(Plan, SenselessPointsAreLeftOut) {
  registry.add(Benchmark("micro/pair", nothing))
      .axis("backend", {.values = {"mpi", "nccl"}})
      .axis("memory", {.values = {"host", "device"}})
      .where([](const Point& p) {
        return p.text("backend") != "nccl" || p.text("memory") == "device";
      });
  EXPECT_EQ(keys({.filters = {"micro/pair"}}).size(), 3U);
}

TEST_F(Plan, PointsAreAdjustedBeforeTheyAreNamedAndEqualOnesAreOne) {
  registry.add(Benchmark("test/train", nothing))
      .axis("strategy", {.values = {"alone", "together"}})
      .axis_integer("copies", {.minimum = 1,
                               .maximum = 8,
                               .defaults = "1,2",
                               .implied = 1,
                               .doc = "Copies of the model",
                               .unit = "1"})
      .adjust([](Point& p) {
        if (p.text("strategy") == "alone") p["ranks"] = std::int64_t{1};
        p["copies"] = std::int64_t{1};
      });
  PlanContext four = context;
  four.ranks = 4;
  std::vector<std::string> names;
  for (const PlannedCase& one : make_plan(registry, {.filters = {"test/train"}}, four))
    names.push_back(one.key);
  EXPECT_EQ(names, (std::vector<std::string>{"test/train ranks=1 strategy=alone",
                                             "test/train ranks=4 strategy=together"}));
}

TEST_F(Plan, PointsWithinTheAxesAreAllowed) {
  const Benchmark& copy = *registry.find("micro/copy");
  const Point good{
      {"bytes", std::int64_t{8}}, {"direction", std::string("h2d")}, {"ranks", std::int64_t{2}}};
  EXPECT_TRUE(copy.allows(good));
  for (const auto& [axis, value] :
       std::map<std::string, Value>{{"bytes", std::int64_t{0}},
                                    {"bytes ", std::int64_t{(1 << 20) + 1}},
                                    {"bytes  ", 8.0},
                                    {"direction", std::string("sideways")},
                                    {"direction ", true},
                                    {"ranks", std::int64_t{0}}}) {
    Point bad = good;
    bad[axis.substr(0, axis.find(' '))] = value;
    EXPECT_FALSE(copy.allows(bad)) << axis << to_text(value);
  }
  Point less = good;
  less.erase("bytes");
  EXPECT_FALSE(copy.allows(less));
}

TEST_F(Plan, TheEstimateTellsSamplingFromFixedWork) {
  registry.add(Benchmark("test/train", nothing)).fixed_work();
  PlanRequest request{.filters = {"test/train"}};
  EXPECT_EQ(estimate(make_plan(registry, request, context)), "1 with a fixed amount of work");
  EXPECT_EQ(estimate(make_plan(registry, request, context), 3), "1 with a fixed amount of work");
  request.filters = {"^micro/copy$"};
  EXPECT_NE(estimate(make_plan(registry, request, context)).find("at most about"),
            std::string::npos);
  EXPECT_NE(estimate(make_plan(registry, request, context), 2),
            estimate(make_plan(registry, request, context)));
  request.command_line.iterations = 5;
  EXPECT_NE(estimate(make_plan(registry, request, context)).find("given number of iterations"),
            std::string::npos);
}

TEST_F(Plan, TakesTimeInProportionToTheBlocksOfAPreset) {
  const double growth = test::growth(250, [&](std::size_t n) {
    Preset preset{.name = "p", .doc = {}, .policy = {}, .entries = {}};
    for (std::size_t i = 1; i <= n; ++i)
      preset.entries.push_back(
          {"micro/copy", {{"direction", "h2d"}, {"bytes", std::to_string(i)}}, {}});
    EXPECT_EQ(make_plan(registry, {.preset = preset}, context).size(), n);
  });
  EXPECT_LT(growth, test::kMostGrowth);
}

}  // namespace
}  // namespace scalemark
