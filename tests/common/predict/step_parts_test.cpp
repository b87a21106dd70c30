// SPDX-License-Identifier: Apache-2.0
// Sums of a step's parts, by hand.
#include "common/predict/step_parts.hpp"

#include <algorithm>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scalemark::predict {
namespace {

using testing::HasSubstr;

const std::vector<StepTerm> kTerms{{"norms", "micro/normalization", 4, 0.010},
                                   {"products", "micro/gemm", 2, 0.020},
                                   {"products", "micro/gemm", 1, 0.015},
                                   {"wait", "loader_wait", 1, 0.001}};

TEST(StepParts, AddUpByComponent) {
  const StepExplanation step = explain_step(kTerms, 0.1);
  ASSERT_EQ(step.components.size(), 3U);
  EXPECT_EQ(step.components[0].name, "products");
  EXPECT_DOUBLE_EQ(step.components[0].seconds, 0.055);
  EXPECT_DOUBLE_EQ(step.components[0].count, 3);
  EXPECT_EQ(step.components[1].name, "norms");
  EXPECT_DOUBLE_EQ(step.components[1].seconds, 0.04);
  EXPECT_DOUBLE_EQ(step.explained, 0.096);
  EXPECT_NEAR(step.rest(), 0.004, 1e-15);
  EXPECT_TRUE(step.is_complete());
  EXPECT_EQ(what_bounds(step),
            "Bound by: products (55 %). Without them, norms would take 89 % of what is left.");
}

TEST(StepParts, AGpuWaitsForCallsThatTakeLongerThanItsWork) {
  std::vector<StepTerm> terms = kTerms;
  terms[0].issue = 0.002;   // 8 ms for 40 ms of work
  terms[1].issue = 0.030;   // 60 ms for 40 ms
  terms[2].issue = 0.0069;  // 6.9 ms for 15 ms
  EXPECT_DOUBLE_EQ(explain_step(terms, 0.1).explained, 0.096) << "the work of all takes longer";

  terms[1].issue = 0.060;
  const StepExplanation step = explain_step(terms, 0.15);
  EXPECT_DOUBLE_EQ(step.enqueued().on_gpu, 0.095);
  EXPECT_DOUBLE_EQ(step.enqueued().issued, 0.1349);
  const auto launches = std::ranges::find(step.components, kLaunches, &StepComponent::name);
  ASSERT_NE(launches, step.components.end());
  EXPECT_DOUBLE_EQ(launches->count, 7);
  EXPECT_NEAR(launches->seconds, 0.0399, 1e-15);
  EXPECT_NEAR(step.explained, 0.1359, 1e-15) << "the calls, and the wait that the step recorded";
  EXPECT_EQ(what_bounds(step),
            "Bound by: launches. The host enqueues for 90 % what takes the GPU 63 %. "
            "Without them, products would take 50 % of what is left.");
}

TEST(StepParts, LaunchesBoundAStepOnlyIfNothingElseTakesLonger) {
  // 3 ms of calls for 2 ms of work, behind a wait of 90 ms for input.
  const std::vector<StepTerm> terms{
      {.component = "products", .source = "", .count = 1, .seconds = 0.002, .issue = 0.003},
      {.component = "wait for input", .source = "", .count = 1, .seconds = 0.090}};
  EXPECT_EQ(
      what_bounds(explain_step(terms, 0.1)),
      "Bound by: wait for input (90 %). Without them, products would take 20 % of what is left.");
}

TEST(StepParts, TheHostRunsAheadThroughAllPhases) {
  const auto exposed = [](PhaseTimes passes, PhaseTimes update) {
    return exposed_launches({passes, update});
  };
  // The GPU is behind with the passes: launches of the update are done meanwhile.
  EXPECT_DOUBLE_EQ(exposed({.issued = 3, .on_gpu = 10}, {.issued = 4, .on_gpu = 1}), 0);
  // It waits in the passes, which a long update does not make up for.
  EXPECT_DOUBLE_EQ(exposed({.issued = 10, .on_gpu = 3}, {.issued = 1, .on_gpu = 4}), 7);
  // It waits in both.
  EXPECT_DOUBLE_EQ(exposed({.issued = 10, .on_gpu = 3}, {.issued = 5, .on_gpu = 4}), 8);
  // What the update enqueues outlasts the passes' rest.
  EXPECT_DOUBLE_EQ(exposed({.issued = 3, .on_gpu = 4}, {.issued = 5, .on_gpu = 1}), 3);
}

TEST(StepParts, TermsCountInTheirPhase) {
  std::vector<StepTerm> terms{{"products", "", 2, 0.003}, {"optimiser", "", 1, 0.004}};
  terms[0].issue = 0.010;
  terms[1].issue = 0.001;
  terms[1].phase = StepPhase::update;
  const StepExplanation step = explain_step(terms, 0.1);
  EXPECT_DOUBLE_EQ(step.phases[0].issued, 0.020);
  EXPECT_DOUBLE_EQ(step.phases[0].on_gpu, 0.006);
  EXPECT_DOUBLE_EQ(step.phases[1].on_gpu, 0.004);
  EXPECT_DOUBLE_EQ(step.find(kLaunches)->seconds, 0.014) << "all but the optimiser is waited for";
  EXPECT_DOUBLE_EQ(step.explained, 0.024);
}

TEST(StepParts, WhatIsLeftIsNeverNegative) {
  // The parts take longer than the step.
  const std::vector<StepTerm> terms{{"products", "", 1, 0.11}, {"norms", "", 1, 0.01}};
  EXPECT_EQ(what_bounds(explain_step(terms, 0.1)),
            "Bound by: products (110 %). Without them, norms would take 100 % of what is left.");
}

TEST(StepParts, TheBoundSaysWhatItReaches) {
  std::vector<StepTerm> terms{{"norms", "micro/normalization", 2, 0.030},
                              {"norms", "micro/normalization", 1, 0.020},
                              {"products", "micro/gemm", 1, 0.010}};
  terms[0].roofline = RooflineTimes{.products = 0.001, .memory = 0.006};
  EXPECT_EQ(explain_step(terms, 0.1).components[0].reached(), "") << "of one term it is not known";
  terms[1].roofline = RooflineTimes{.products = 0.001, .memory = 0.004};
  EXPECT_EQ(what_bounds(explain_step(terms, 0.1)),
            "Bound by: norms (80 %, at 20 % of the memory bandwidth). "
            "Without them, products would take 50 % of what is left.");
  terms[0].roofline = RooflineTimes{.products = 0.030, .memory = 0.006};
  EXPECT_EQ(explain_step(terms, 0.1).components[0].reached(), "76 % of the rate of products");
  terms[0].from = TimeSource::roofline;
  EXPECT_EQ(explain_step(terms, 0.1).components[0].reached(), "")
      << "it was estimated by that rate";
}

TEST(StepParts, AnotherMachineTakesAsManyTimesLongerAsItsParts) {
  std::vector<StepTerm> slower = kTerms;
  slower[0].seconds = 0.030;  // 80 ms more
  slower[1].seconds = 0.010;  // 20 ms less
  const StepExplanation here = explain_step(kTerms, 0.12), there = explain_step(slower, 0.12);
  EXPECT_DOUBLE_EQ(there.explained, 0.156);
  EXPECT_DOUBLE_EQ(step_elsewhere(here, there), 0.12 * 0.156 / 0.096);
  EXPECT_DOUBLE_EQ(step_elsewhere(here, here), 0.12);
  ASSERT_NE(there.find("norms"), nullptr);
  EXPECT_DOUBLE_EQ(there.find("norms")->seconds, 0.12);
  EXPECT_EQ(there.find("attention"), nullptr);
}

TEST(StepParts, AnotherMachineComputesLongerWhateverItsMessagesTake) {
  std::vector<StepTerm> slower = kTerms;
  slower[0].seconds = 0.030;
  slower[3].seconds = 5;
  EXPECT_NEAR(factor_elsewhere(explain_step(kTerms, 0.12), explain_step(slower, 0.12), "wait"),
              (0.12 + 0.055) / (0.04 + 0.055), 1e-12);
  EXPECT_DOUBLE_EQ(factor_elsewhere(explain_step(kTerms, 0.12), explain_step(kTerms, 1), "other"),
                   1);
}

TEST(StepParts, WhatIsNotKnownIsSaid) {
  EXPECT_THAT(what_bounds(explain_step(kTerms, 0.2)), HasSubstr("not explained (52 %)"));
  EXPECT_THAT(what_bounds(explain_step(kTerms, 0.03)), HasSubstr("not explained (-220 %)"));
  std::vector<StepTerm> some = kTerms;
  some[2].seconds = std::nullopt;
  const StepExplanation step = explain_step(some, 0.1);
  EXPECT_FALSE(step.is_complete());
  EXPECT_EQ(step.components[0].missing + step.components[1].missing, 1U);
  EXPECT_DOUBLE_EQ(step.explained, 0.081);
  EXPECT_THAT(what_bounds(step), HasSubstr("Rows are missing"));
}

TEST(StepParts, CountsWhereTimesAreFrom) {
  std::vector<StepTerm> terms = kTerms;
  terms[1].from = TimeSource::interpolation;
  terms[2].from = TimeSource::roofline;
  const StepComponent products = explain_step(terms, 0.1).components[0];
  EXPECT_EQ(products.measured, 0U);
  EXPECT_EQ(products.interpolated, 1U);
  EXPECT_EQ(products.estimated, 1U);
  EXPECT_EQ(products.known(), 2U);
}

}  // namespace
}  // namespace scalemark::predict
