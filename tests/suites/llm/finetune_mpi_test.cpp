// SPDX-License-Identifier: Apache-2.0
// Cases of llm/finetune as a whole.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/analysis/timeline.hpp"
#include "suites/llm/model/config.hpp"
#include "tests/support/run_case.hpp"

namespace scalemark::llm {
namespace {

using test::root;
using ::testing::HasSubstr;

test::CaseRun finetune(std::vector<std::string> axes, const SessionOptions& options = {}) {
  for (const char* usual : {"model=tiny", "source=builtin", "steps=6"}) {
    const std::string axis(usual);
    const auto name = axis.substr(0, axis.find('=') + 1);
    if (std::ranges::none_of(axes, [&](const auto& one) { return one.starts_with(name); }))
      axes.push_back(axis);
  }
  axes.push_back("ranks=" + std::to_string(test::world().size()));
  return test::run_case("llm/finetune", axes, options);
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

TEST(Finetune, TellsWhenEachRankDidWhat) {
  const auto run = finetune({"rows=24", "steps=0", "epochs=2", "sequence=64"});
  if (!root()) return;
  const auto lines = analysis::timelines(run.result());
  ASSERT_EQ(lines.size(), static_cast<std::size_t>(test::world().size()));
  for (const analysis::RankTimeline& line : lines) {
    std::map<std::string, std::vector<analysis::TimelineEntry>> kinds;
    for (const analysis::TimelineEntry& entry : line.entries) kinds[entry.what].push_back(entry);
    const auto end = [](const analysis::TimelineEntry& entry) {
      return entry.from + entry.duration;
    };
    ASSERT_EQ(kinds["epoch"].size(), 2U);
    ASSERT_EQ(kinds["epoch_start_pause"].size(), 2U);
    EXPECT_EQ(kinds["step"].size(), run.series("step_time", 0).size());
    EXPECT_GE(kinds["epoch"][1].from, end(kinds["epoch"][0]));
    for (const std::size_t i : {0, 1}) {
      EXPECT_EQ(kinds["epoch_start_pause"][i].from, kinds["epoch"][i].from);
      EXPECT_EQ(kinds["epoch"][i].index, i + 1);
    }
    EXPECT_GE(kinds["step"].front().from, kinds["epoch"][0].from);
    EXPECT_LE(end(kinds["step"].back()), end(kinds["epoch"][1]));
  }
}

TEST(Finetune, LearnsFasterWithAllWeights) {
  const auto run = finetune({"method=full", "steps=20"});
  EXPECT_EQ(run.outcome.ok, 1U);
  if (!root()) return;
  EXPECT_LT(run.value("loss"), run.value("first_loss") - 0.2);
  EXPECT_EQ(run.fact("trained_parameters"), run.fact("parameters"));
}

TEST(Finetune, AxesReplaceTheSettingsOfTheRecipe) {
  const auto run = finetune(
      {"method=dpo", "learning_rate=0.0003", "weight_decay=0.01", "schedule=constant", "steps=2"});
  if (!root()) return;
  ASSERT_EQ(run.result().status, Status::ok) << run.result().reason;
  EXPECT_EQ(run.fact("learning_rate"), "0.0003");
  EXPECT_EQ(run.fact("weight_decay"), "0.01");
  EXPECT_THAT(run.result().key, HasSubstr(" learning_rate=0.0003 "));
}

TEST(Finetune, TheRecipesOwnSettingsAreTheSameCase) {
  const auto given =
      finetune({"learning_rate=0.0003", "weight_decay=0.01", "schedule=cosine", "steps=2"});
  const auto own = finetune({"steps=2"});
  if (!root()) return;
  EXPECT_EQ(given.result().key, own.result().key);
  EXPECT_EQ(given.fact("learning_rate"), own.fact("learning_rate"));
  EXPECT_EQ(given.series("step_loss", 0), own.series("step_loss", 0));
}

TEST(Finetune, ADurationEndsTheTraining) {
  const auto run = finetune({"duration=1", "steps=0", "epochs=1000"});
  if (!root()) return;
  ASSERT_EQ(run.result().status, Status::ok) << run.result().reason;
  const auto times = run.series("step_time", 0);
  EXPECT_LT(times.size(), 250'000U / static_cast<std::size_t>(test::world().size()))
      << "steps of the whole training";
  EXPECT_GE(run.value("total_time"), 1.0);
}

/// The prompt of grammar is not in the loss, and fills all of a short row.
TEST(Finetune, StepsWithoutLabelsAreFlaggedAndATrainingOfThemIsWrong) {
  const auto run =
      finetune({"dataset=grammar", "source=synthetic", "rows=16", "sequence=8", "steps=2"});
  if (!root()) return;
  EXPECT_EQ(run.result().status, Status::failed);
  EXPECT_EQ(run.result().verification.wrong, static_cast<std::size_t>(test::world().size()));
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

TEST(Finetune, ShardedTrainingIsTheSameAndItsBytesAreCounted) {
  const std::vector<std::string> point = {"method=full", "sequence=64", "steps=3",
                                          "precision=fp64"};
  const auto with = [&](const char* axis) {
    std::vector<std::string> axes = point;
    axes.emplace_back(axis);
    return finetune(axes);
  };
  const auto replicated = with("parallel=ddp"), sharded = with("parallel=fsdp");
  EXPECT_EQ(sharded.outcome.ok, 1U);
  if (!root()) return;
  EXPECT_NEAR(sharded.value("loss"), replicated.value("loss"), 1e-9);
  EXPECT_EQ(sharded.fact("trained_parameters"), replicated.fact("trained_parameters"));
  EXPECT_EQ(sharded.result().verification.checked,
            (2 * 3 + 2) * static_cast<std::size_t>(test::world().size()));
  EXPECT_EQ(sharded.result().verification.wrong, 0U);
  // All weights of 8 bytes, the layers' twice; the sizes divide by two.
  const LlamaConfig config = llama_config("tiny");
  const ParameterCounts counts = count_parameters(config);
  const auto ranks = static_cast<double>(test::world().size());
  const auto bytes = [&](std::int64_t elements) {
    return 8 * static_cast<double>(elements) * (ranks - 1) / ranks;
  };
  EXPECT_EQ(sharded.value("reduced_bytes"), bytes(counts.total));
  EXPECT_EQ(sharded.value("gathered_bytes"),
            bytes(counts.total + config.layers * counts.per_layer));
}

TEST(Finetune, EveryMethodIsSharded) {
  for (const char* method : {"method=qlora", "method=qat", "method=dpo", "method=dpo_full"}) {
    const bool pairs = std::string(method).starts_with("method=dpo");
    for (const char* reshard : {"reshard=true", "reshard=false"}) {
      const auto run =
          finetune({method, pairs ? "dataset=preference" : "dataset=alpaca", "parallel=fsdp",
                    reshard, "rows=16", "sequence=64", "steps=2", "clip=0.5"});
      EXPECT_EQ(run.outcome.ok, 1U) << method << " " << reshard;
      if (root()) {
        EXPECT_EQ(run.result().verification.wrong, 0U) << method;
      }
    }
  }
}

TEST(Finetune, AllPointsRun) {
  for (const char* point : {"dataset=grammar", "dataset=samsum", "dataset=slimorca"}) {
    EXPECT_EQ(finetune({point, "source=synthetic", "rows=32", "sequence=64"}).outcome.ok, 1U)
        << point;
  }
  for (const char* parallel : {"parallel=single", "parallel=ddp", "parallel=fsdp"})
    EXPECT_EQ(finetune({"precision=bf16", parallel, "steps=2"}).outcome.ok, 1U) << parallel;
  EXPECT_EQ(finetune({"parallel=fsdp", "reshard=false", "prefetch=0", "steps=2", "accumulation=2",
                      "checkpointing=true"})
                .outcome.ok,
            1U);
  for (const char* point : {"mode=tuned", "precision=fp64", "accumulation=2", "checkpointing=true",
                            "parallel=single", "template=chat"}) {
    EXPECT_EQ(finetune({point, "sequence=64", "steps=2"}).outcome.ok, 1U) << point;
  }
}

TEST(Finetune, LearnsFromQuantisedBasesAndWithFakeQuantisation) {
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

TEST(Finetune, LearnsPreferences) {
  for (const char* method : {"method=dpo", "method=dpo_full"}) {
    for (const char* mode : {"mode=paper", "mode=tuned"}) {
      const auto run = finetune({method, "dataset=preference", mode, "rows=4", "sequence=128",
                                 "epochs=6", "warmup_steps=0", "steps=6"});
      EXPECT_EQ(run.outcome.ok, 1U);
      if (!root()) continue;
      EXPECT_NEAR(run.value("first_loss"), std::log(2.0), 1e-6);
      EXPECT_LT(run.series("step_loss", 0).back(), run.value("first_loss"));
      EXPECT_EQ(run.series("step_accuracy", 0).front(), 0);
      EXPECT_EQ(run.series("step_margin", 0).front(), 0);
      EXPECT_GT(run.value("margin"), 0);
      const auto chosen = run.series("step_chosen_reward", 0),
                 rejected = run.series("step_rejected_reward", 0),
                 margin = run.series("step_margin", 0), accuracy = run.series("step_accuracy", 0);
      for (std::size_t i = 0; i < margin.size(); ++i) {
        EXPECT_NEAR(margin[i], chosen[i] - rejected[i], 1e-6);
        const double pairs = accuracy[i] * 2 * test::world().size();
        EXPECT_NEAR(pairs, std::round(pairs), 1e-9) << "two pairs a rank";
      }
      EXPECT_EQ(run.fact("text_rows"), "8") << "two answers a row";
    }
  }
}

TEST(Finetune, LearnsPreferencesOfAFile) {
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

TEST(Finetune, LearnsPreferencesOfRowsWithOneAnswer) {
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

TEST(Finetune, NeedsTheMemoryThatIsPredicted) {
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
