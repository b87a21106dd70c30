// SPDX-License-Identifier: Apache-2.0
// imaging/train on 1, 2 and 4 ranks: what it records, what it proves, what it refuses.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "common/analysis/timeline.hpp"
#include "tests/suites/imaging/train_case.hpp"

namespace scalemark::imaging {
namespace {

TEST(ImagingTrain, RecordsEveryStepOfEveryRank) {
  const TrainRun run = run_train({"image=32", "batch=8", "images=96", "epochs=2"});
  EXPECT_EQ(run.outcome.ok, 1U);
  if (!root()) return;
  const auto ranks = static_cast<std::size_t>(test::world().size());
  const std::size_t steps = 2 * (96 / ranks / 8);
  for (const char* name : {"step_time", "step_loss"}) {
    EXPECT_EQ(run.result().find(name)->samples.ranks, ranks) << name;
    EXPECT_EQ(run.result().find(name)->samples.iterations, steps) << name;
  }
  EXPECT_EQ(run.series("epoch_accuracy", 0).size(), 2U);
  EXPECT_EQ(run.series("epoch_time", 0).size(), 2U);
  EXPECT_GT(run.value("total_time_with_tests"), run.value("total_time"));
  EXPECT_LT(run.value("total_time_without_loading"), run.value("total_time"));
  EXPECT_EQ(run.value("accuracy"), run.series("epoch_accuracy", 0).back());
  EXPECT_EQ(run.fact("images_seen"), std::to_string(steps * ranks * 8));
  EXPECT_EQ(run.fact("train_images"), "96");
  EXPECT_EQ(run.fact("test_images"), "64");
  EXPECT_EQ(run.fact("data_set"), "mnist_subset");
  EXPECT_EQ(run.result().primary_metric, "step_time");
  EXPECT_TRUE(run.result().verification.done);
  EXPECT_EQ(run.result().verification.wrong, 0U);
  EXPECT_TRUE(run.result().find("step_time")->samples.is_warmup(0));
  EXPECT_FALSE(run.result().find("step_time")->samples.is_warmup(steps - 1));
  if (ranks > 1) {
    // Every step's gradients were waited for, and that is a part of the step.
    const auto exposed = run.series("exposed_communication_time", 0);
    const auto whole = run.series("step_time", 0);
    for (std::size_t i = 0; i < steps; ++i) {
      EXPECT_GT(exposed[i], 0);
      EXPECT_LT(exposed[i], whole[i]);
    }
  } else {
    EXPECT_EQ(run.result().find("exposed_communication_time"), nullptr);
  }
  // Two messages of gradients. The smaller one comes first, before the backward pass has ended.
  const auto ready = run.series("gradient_ready_time", 0),
             sizes = run.series("gradient_bucket_size", 0);
  ASSERT_EQ(ready.size(), 2U);
  EXPECT_GT(sizes[0], 1 << 20) << "the tensor that reaches the limit belongs to it";
  EXPECT_LT(ready[0], ready[1]);
  EXPECT_LT(sizes[0], sizes[1]);
  EXPECT_EQ(sizes[0] + sizes[1], 4 * 2'236'682.0);
  // 2.2 M parameters, their gradients and momentum, of 4 bytes, and the data set, are the least.
  EXPECT_GT(run.value("peak_device_memory"), 3 * 4 * 2'236'682.0);
  EXPECT_LT(run.value("peak_device_memory"), 200e6);
  // An untrained network guesses one class of ten.
  EXPECT_NEAR(run.value("first_loss"), std::log(10.0), 0.6);
  EXPECT_NE(std::find(run.sink.phases.begin(), run.sink.phases.end(), "train epoch 2"),
            run.sink.phases.end());
}

TEST(ImagingTrain, TellsWhenEachRankDidWhat) {
  const TrainRun run = run_train({"image=32", "batch=8", "images=96", "epochs=2"});
  if (!root()) return;
  const std::vector<analysis::RankTimeline> lines = analysis::timelines(run.result());
  ASSERT_EQ(lines.size(), static_cast<std::size_t>(test::world().size()));
  for (const analysis::RankTimeline& line : lines) {
    const auto find = [&](const std::string& what, std::uint64_t index) {
      const auto found = std::ranges::find_if(line.entries, [&](const auto& entry) {
        return entry.what == what && entry.index == index;
      });
      return found == line.entries.end() ? analysis::TimelineEntry() : *found;
    };
    const auto end = [](const analysis::TimelineEntry& entry) {
      return entry.from + entry.duration;
    };
    const auto rank = static_cast<int>(line.rank);
    const auto times = run.series("epoch_time", rank),
               pauses = run.series("epoch_start_pause", rank),
               steps = run.series("step_time", rank);
    std::uint64_t before = 0;
    for (const std::uint64_t number : {1, 2}) {
      const auto epoch = find("epoch", number), pause = find("epoch_start_pause", number),
                 test = find("test", number), first = find("test_pause", number);
      EXPECT_GT(epoch.from, before) << "after the test of the epoch before";
      EXPECT_NEAR(static_cast<double>(epoch.duration) * 1e-9, times[number - 1], 1e-9);
      EXPECT_NEAR(static_cast<double>(pause.duration) * 1e-9, pauses[number - 1], 1e-9);
      EXPECT_EQ(pause.from, epoch.from);
      EXPECT_GE(test.from, end(epoch));
      EXPECT_EQ(first.from, test.from);
      EXPECT_LE(end(first), end(test));
      before = end(test);
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto step = find("step", i + 1), epoch = find("epoch", i < steps.size() / 2 ? 1 : 2);
      EXPECT_NEAR(static_cast<double>(step.duration) * 1e-9, steps[i], 1e-9) << i;
      EXPECT_GE(step.from, epoch.from) << i;
      EXPECT_LE(end(step), end(epoch)) << i;
    }
  }
}

TEST(ImagingTrain, TheSameSeedGivesTheSameTraining) {
  const std::vector<std::string> axes{"image=32", "batch=8", "images=64"};
  const TrainRun first = run_train(axes), second = run_train(axes);
  SessionOptions other;
  other.seed = 2;
  const TrainRun third = run_train(axes, other);
  if (!root()) return;
  EXPECT_EQ(first.fact("parameters_fingerprint"), second.fact("parameters_fingerprint"));
  EXPECT_NE(first.fact("parameters_fingerprint"), third.fact("parameters_fingerprint"));
  EXPECT_EQ(first.series("step_loss", 0), second.series("step_loss", 0));
}

TEST(ImagingTrain, BothLayoutsTrainAlike) {
  const TrainRun nchw = run_train({"image=32", "batch=16", "images=64", "layout=nchw"});
  const TrainRun nhwc = run_train({"image=32", "batch=16", "images=64", "layout=nhwc"});
  if (!root()) return;
  EXPECT_NEAR(nchw.value("first_loss"), nhwc.value("first_loss"), 1e-4);
  EXPECT_NE(nchw.result().key, nhwc.result().key);
}

TEST(ImagingTrain, WhatCannotBeTrainedIsSkippedWithTheReason) {
  const auto reason = [](const std::vector<std::string>& axes) {
    const TrainRun run = run_train(axes);
    EXPECT_EQ(run.outcome.skipped, 1U);
    return root() ? run.result().reason : std::string();
  };
  const std::string small = reason({"image=32", "batch=64", "images=32"});
  const std::string many = reason({"image=32", "images=20000"});
  const std::string full = reason({"image=32", "dataset=mnist"});
  const std::string graphs = reason({"image=32", "graphs=true"});
  if (!root()) return;
  EXPECT_NE(small.find("less than one batch of 64"), std::string::npos) << small;
  EXPECT_NE(many.find("the training set has 10000"), std::string::npos) << many;
  EXPECT_EQ(graphs, "CUDA graphs are for GPUs");
  EXPECT_NE(full.find("--data mnist=DIR"), std::string::npos) << full;
}

TEST(ImagingTrain, AFolderIsUsedWhenItIsAskedFor) {
  SessionOptions options;
  options.data["mnist"] = std::string(SCALEMARK_SOURCE_DIR) + "/suites/imaging/data/files";
  const std::vector<std::string> small{"image=32", "batch=8", "images=32"};
  const TrainRun run = run_train({"image=32", "batch=8", "images=32", "dataset=mnist"}, options);
  const TrainRun built_in = run_train(small);
  options.data["mnist"] = "/nowhere";
  const TrainRun missing =
      run_train({"image=32", "batch=8", "images=32", "dataset=mnist"}, options);
  EXPECT_EQ(missing.outcome.failed, 1U);
  if (!root()) return;
  EXPECT_EQ(run.fact("data_set"), "mnist");
  EXPECT_EQ(run.fact("parameters_fingerprint"), built_in.fact("parameters_fingerprint"))
      << "the same images";
  EXPECT_NE(run.result().key, built_in.result().key);
  EXPECT_NE(missing.result().reason.find("/nowhere"), std::string::npos) << missing.result().reason;
}

}  // namespace
}  // namespace scalemark::imaging
