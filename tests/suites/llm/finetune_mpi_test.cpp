// SPDX-License-Identifier: Apache-2.0
// Cases of llm/finetune as a whole, whose ranks work together or each have their part.
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
#include "tests/suites/llm/finetune_case.hpp"

namespace scalemark::llm {
namespace {

using test::root;

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
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
  EXPECT_NEAR(sum(run.series("step_labels", 0)), amount("label_rate"), 1e-6);
  for (const double length : run.series("step_sequence", 0)) {
    EXPECT_GE(length, 1);
    EXPECT_LE(length, 256);
  }
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

TEST(Finetune, LearnsPreferences) {
  for (const char* method : {"method=dpo", "method=dpo_full"}) {
    for (const char* mode : {"mode=paper", "mode=tuned"}) {
      const auto run = finetune({method, "dataset=preference", mode, "rows=4", "sequence=64",
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

}  // namespace
}  // namespace scalemark::llm
