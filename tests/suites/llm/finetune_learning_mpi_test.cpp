// SPDX-License-Identifier: Apache-2.0
// Cases of llm/finetune as a whole: what a training learns, counts, needs and refuses, on one rank.
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "suites/llm/model/config.hpp"
#include "tests/suites/llm/finetune_case.hpp"

namespace scalemark::llm {
namespace {

using test::root;
using ::testing::HasSubstr;

TEST(FinetuneLearning, LearnsFromRealRowsWithLora) {
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

TEST(FinetuneLearning, LearnsFasterWithAllWeights) {
  const auto run = finetune({"method=full", "steps=20"});
  EXPECT_EQ(run.outcome.ok, 1U);
  if (!root()) return;
  EXPECT_LT(run.value("loss"), run.value("first_loss") - 0.2);
  EXPECT_EQ(run.fact("trained_parameters"), run.fact("parameters"));
}

TEST(FinetuneLearning, AxesReplaceTheSettingsOfTheRecipe) {
  const auto run = finetune(
      {"method=dpo", "learning_rate=0.0003", "weight_decay=0.01", "schedule=constant", "steps=2"});
  if (!root()) return;
  ASSERT_EQ(run.result().status, Status::ok) << run.result().reason;
  EXPECT_EQ(run.fact("learning_rate"), "0.0003");
  EXPECT_EQ(run.fact("weight_decay"), "0.01");
  EXPECT_THAT(run.result().key, HasSubstr(" learning_rate=0.0003 "));
}

TEST(FinetuneLearning, TheRecipesOwnSettingsAreTheSameCase) {
  const auto given =
      finetune({"learning_rate=0.0003", "weight_decay=0.01", "schedule=cosine", "steps=2"});
  const auto own = finetune({"steps=2"});
  if (!root()) return;
  EXPECT_EQ(given.result().key, own.result().key);
  EXPECT_EQ(given.fact("learning_rate"), own.fact("learning_rate"));
  EXPECT_EQ(given.series("step_loss", 0), own.series("step_loss", 0));
}

TEST(FinetuneLearning, LearnsFromQuantisedBasesAndWithFakeQuantisation) {
  for (const char* mode : {"mode=paper", "mode=tuned"}) {
    const auto qlora = finetune({"method=qlora", mode, "steps=3", "sequence=64"}),
               qat = finetune({"method=qat", mode, "steps=3", "sequence=64", "clip=0.5"});
    EXPECT_EQ(qlora.outcome.ok + qat.outcome.ok, 2U);
    if (!root()) continue;
    for (const auto* run : {&qlora, &qat}) {
      EXPECT_NEAR(run->value("first_loss"), std::log(4096.0), 0.3);
      EXPECT_EQ(run->result().verification.wrong, 0U);
    }
    // 4 layers of 2 * 256 * 256 + 2 * 64 * 256 + 3 * 256 * 704 weights: 4 bits each, a byte for 64,
    // four for 16,384; of each of 28 maps a mean and 16 values.
    constexpr int kWeights = 4 * (2 * 65'536 + 2 * 16'384 + 3 * 180'224);
    EXPECT_EQ(qlora.fact("nf4_bytes"),
              std::to_string(kWeights / 2 + kWeights / 64 + kWeights / 16'384 * 4 + 28 * 17 * 4));
    EXPECT_EQ(qlora.fact("trained_parameters"),
              std::to_string(4 * count_lora_parameters(llama_config("tiny"), {})));
    EXPECT_EQ(qat.fact("fake_quantised_maps"), "25")
        << "all but the w2, 704 wide, and the embedding";
    EXPECT_EQ(qat.fact("trained_parameters"), qat.fact("parameters"));
    EXPECT_THAT(qat.result().key, HasSubstr("clip=0.5"));
    EXPECT_GT(qat.value("gradient_norm"), 0.5) << "before clipping";
  }
}

TEST(FinetuneLearning, LearnsPreferencesOfAFile) {
  SessionOptions options;
  options.data["preference"] =
      std::string(SCALEMARK_SOURCE_DIR) + "/tests/golden/stack_exchange_paired_tiny.json";
  const std::vector<std::string> axes{"method=dpo", "dataset=preference", "source=file", "rows=8",
                                      "steps=2",    "sequence=256"};
  const auto run = finetune(axes, options);
  EXPECT_EQ(run.outcome.ok, 1U);
  EXPECT_EQ(finetune(axes).outcome.skipped, 1U);
  if (root()) {
    EXPECT_EQ(run.fact("text_rows"), "16");
    EXPECT_NEAR(run.value("first_loss"), std::log(2.0), 1e-6);
  }
}

TEST(FinetuneLearning, LearnsPreferencesOfRowsWithOneAnswer) {
  const auto run = finetune(
      {"method=dpo", "dataset=samsum", "source=synthetic", "rows=8", "steps=2", "sequence=256"});
  EXPECT_EQ(run.outcome.ok, 1U);
  if (root()) {
    EXPECT_EQ(run.fact("text_rows"), "16");
    EXPECT_EQ(run.fact("rejected_answers"), "answers to other rows, of the next length");
    EXPECT_THAT(run.result().key, HasSubstr("template=summarize"));
    EXPECT_NEAR(run.value("first_loss"), std::log(2.0), 1e-6);
  }
}

TEST(FinetuneLearning, NeedsTheMemoryThatIsPredicted) {
  using Axes = std::vector<std::string>;
  for (const Axes& axes :
       {Axes{"method=lora", "mode=paper", "batch=8"}, Axes{"method=full", "mode=paper"},
        Axes{"method=full", "mode=tuned", "packed=true"}, Axes{"method=qlora", "mode=tuned"},
        Axes{"method=qlora", "mode=paper"}, Axes{"method=qat", "mode=paper", "checkpointing=true"},
        Axes{"method=qat", "mode=paper", "accumulation=2"}, Axes{"method=qat", "mode=tuned"},
        Axes{"method=dpo", "mode=paper"},
        Axes{"method=lora", "mode=tuned", "packed=true", "checkpointing=true"},
        Axes{"method=full", "mode=paper", "precision=bf16", "batch=4"}}) {
    Axes all{"parallel=single", "steps=2", "sequence=128", "rows=64"};
    all.insert(all.end(), axes.begin(), axes.end());
    const auto run = finetune(all);
    if (!root()) continue;
    EXPECT_NEAR(run.value("memory_prediction_error"), 0, 0.1) << run.result().key;
  }
}

TEST(FinetuneLearning, WhatCannotBeIsSkippedWithItsReason) {
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
  expect({"parallel=fsdp", "offload=true"}, "out of a GPU's memory");
  expect({"tokenizer=file"}, "--data tokenizer=FILE");
  expect({"source=file"}, "--data alpaca=FILE");
  expect({"source=builtin", "dataset=grammar"}, "dataset=alpaca");
  expect({"method=qlora", "dataset=preference"}, "method=dpo and dpo_full, not qlora");
  expect({"method=dpo", "dataset=preference", "packed=true"}, "packed=false");
  expect({"method=qat", "precision=fp64"}, "precision=fp32 and bf16");
}

}  // namespace
}  // namespace scalemark::llm
