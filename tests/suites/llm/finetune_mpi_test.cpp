// SPDX-License-Identifier: Apache-2.0
// Cases of llm/finetune as a whole.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suites/llm/config.hpp"
#include "tests/support/run_case.hpp"

namespace scalemark::llm {
namespace {

using test::root;
using ::testing::HasSubstr;

test::CaseRun finetune(std::vector<std::string> axes) {
  for (const char* usual : {"model=tiny", "source=builtin", "steps=6"}) {
    const std::string axis(usual);
    const auto name = axis.substr(0, axis.find('=') + 1);
    if (std::ranges::none_of(axes, [&](const auto& one) { return one.starts_with(name); }))
      axes.push_back(axis);
  }
  axes.push_back("ranks=" + std::to_string(test::world().size()));
  return test::run_case("llm/finetune", axes);
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

TEST(Finetune, LearnsFromRealRowsWithLora) {
  const auto run = finetune({"warmup_steps=2", "steps=12", "epochs=3"});
  EXPECT_EQ(run.outcome.ok, 1U);
  if (!root()) return;
  const double guess = std::log(4096.0);  // every token alike
  EXPECT_NEAR(run.value("first_loss"), guess, 0.3);
  EXPECT_EQ(run.series("step_loss", 0).size(), 12U);
  EXPECT_LT(run.value("loss"), run.value("first_loss"));
  EXPECT_EQ(run.fact("trained_parameters"),
            std::to_string(4 * count_lora_parameters(llama_config("tiny"), {})));
  EXPECT_EQ(run.fact("text_rows"), "500");
  EXPECT_EQ(run.result().verification.wrong, 0U);
}

TEST(Finetune, LearnsFasterWithAllWeights) {
  const auto run = finetune({"method=full", "steps=20"});
  EXPECT_EQ(run.outcome.ok, 1U);
  if (!root()) return;
  EXPECT_LT(run.value("loss"), run.value("first_loss") - 0.2);
  EXPECT_EQ(run.fact("trained_parameters"), run.fact("parameters"));
}

TEST(Finetune, TokensAreCountedThreeWays) {
  const auto run = finetune({"packed=true", "sequence=256", "batch=1"});
  EXPECT_EQ(run.outcome.ok, 1U);
  if (!root()) return;
  const auto seconds = run.series("step_time", 0);
  const auto amount = [&](const char* rate) {
    const auto values = run.series(rate, 0);
    double all = 0;
    for (std::size_t i = 0; i < values.size(); ++i) all += values[i] * seconds[i];
    return all;
  };
  EXPECT_NEAR(amount("position_rate"), 6 * 256, 1e-6) << "every pack is full of positions";
  EXPECT_LT(amount("tokens_per_second"), 6 * 256 + 1e-6);
  EXPECT_LT(amount("label_rate"), amount("tokens_per_second"));
  EXPECT_GT(amount("label_rate"), 0);
  EXPECT_GT(sum(run.series("achieved_flops", 0)), 0);
}

TEST(Finetune, AllPointsRun) {
  for (const char* point : {"dataset=grammar", "dataset=samsum", "dataset=slimorca"}) {
    EXPECT_EQ(finetune({point, "source=synthetic", "rows=32", "sequence=64"}).outcome.ok, 1U)
        << point;
  }
  EXPECT_EQ(finetune({"precision=bf16", "parallel=single", "steps=2"}).outcome.ok, 1U);
  for (const char* point : {"mode=tuned", "precision=fp64", "accumulation=2", "checkpointing=true",
                            "parallel=single", "template=chat"}) {
    EXPECT_EQ(finetune({point, "sequence=64", "steps=2"}).outcome.ok, 1U) << point;
  }
}

TEST(Finetune, WhatCannotBeIsSkippedWithItsReason) {
  const auto reason = [](const test::CaseRun& run) {
    return root() ? run.result().reason : std::string();
  };
  const auto expect = [&](std::vector<std::string> axes, const char* words) {
    const auto run = finetune(std::move(axes));
    EXPECT_EQ(run.outcome.skipped, 1U) << words;
    if (root()) {
      EXPECT_THAT(reason(run), HasSubstr(words));
    }
  };
  expect({"rows=1", "batch=64"}, "less than a step");
  expect({"sequence=4096"}, "the model allows 2048");
  expect({"precision=bf16"}, "MPI cannot add bf16");
  expect({"tokenizer=file"}, "--data tokenizer=FILE");
  expect({"source=file"}, "--data alpaca=FILE");
  expect({"source=builtin", "dataset=grammar"}, "dataset=alpaca");
}

}  // namespace
}  // namespace scalemark::llm
