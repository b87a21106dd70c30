// SPDX-License-Identifier: Apache-2.0
// imaging/train on 2 ranks by every strategy, precision and loader: what it counts and records.
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "suites/imaging/train/strategy.hpp"
#include "tests/suites/imaging/train_case.hpp"

namespace scalemark::imaging {
namespace {

/// 111 images in batches of 8, two epochs.
struct Counts {
  std::size_t ranks, steps;  ///< of a rank
  std::int64_t images_seen, loaded_batches;
};
const std::map<std::string, Counts> kCounts{
    {"single", {1, 2 * 13, 2 * 13 * 8, 2 * 13}},
    {"data_parallel_replicate", {1, 2 * 13, 2 * 13 * 8, 2 * 13}},
    {"data_parallel_persistent", {1, 2 * 13, 2 * 13 * 8, 2 * 13}},
    {"data_parallel_device_scatter", {1, 2 * 13, 2 * 13 * 8, 2 * 13}},
    {"ddp_full", {2, 2 * 13, 2 * 26 * 8, 2 * 26}},
    // Of 13 batches 12 go round.
    {"ddp_rr", {2, 2 * 6, 2 * 12 * 8, 2 * 2 * 12}},
    // 56 images a rank: one is padded.
    {"ddp_ds", {2, 2 * 7, 2 * 14 * 8, 2 * 14}}};

void check_series(const TrainRun& run, const Counts& want) {
  const auto shape = [&](const std::string& name, std::size_t iterations) {
    const Metric* metric = run.result().find(name);
    ASSERT_NE(metric, nullptr) << name;
    EXPECT_EQ(metric->samples.ranks, want.ranks) << name;
    EXPECT_EQ(metric->samples.iterations, iterations) << name;
  };
  for (const char* name : {"step_time", "loader_wait", "compute_time", "step_loss"})
    shape(name, want.steps);
  for (const char* name : {"epoch_time", "epoch_loss", "epoch_test_loss", "epoch_start_pause",
                           "test_pause", "epoch_accuracy", "epoch_train_accuracy"})
    shape(name, 2);
  for (std::size_t rank = 0; rank < want.ranks; ++rank) {
    const std::vector<double> step = run.series("step_time", rank),
                              wait = run.series("loader_wait", rank),
                              compute = run.series("compute_time", rank),
                              loss = run.series("step_loss", rank);
    double first_epoch = 0;
    for (std::size_t i = 0; i < want.steps; ++i) {
      EXPECT_NEAR(wait[i] + compute[i], step[i], 2e-9);
      EXPECT_GT(wait[i], 0);
      EXPECT_GT(compute[i], 0);
      if (i < want.steps / 2) first_epoch += loss[i] / static_cast<double>(want.steps / 2);
    }
    EXPECT_NEAR(run.series("epoch_loss", rank)[0], first_epoch, 1e-12);
    EXPECT_EQ(run.series("epoch_start_pause", rank)[0], wait[0]) << "both end with the first batch";
  }
  // An untrained network guesses one class of ten.
  EXPECT_NEAR(run.series("epoch_test_loss", 0)[0], std::log(10.0), 0.6);
}

TEST(ImagingStrategies, EveryOneTrainsAndCounts) {
  EXPECT_EQ(kCounts.size(), strategy_names().size());
  for (const auto& [strategy, want] : kCounts) {
    SCOPED_TRACE(strategy);
    const TrainRun run =
        run_train({"strategy=" + strategy, "image=32", "batch=8", "images=111", "epochs=2"});
    EXPECT_EQ(run.outcome.ok, 1U);
    if (!root()) continue;
    const CaseResult& result = run.result();
    ASSERT_EQ(result.status, Status::ok) << result.reason;
    const bool replicated = is_data_parallel(strategy_from(strategy));
    EXPECT_NE(result.key.find("ranks=" + std::to_string(want.ranks)), std::string::npos)
        << result.key;
    EXPECT_EQ(result.key.find("replicas=2") != std::string::npos, replicated) << result.key;
    EXPECT_EQ(result.key.find("replicas") != std::string::npos, replicated) << result.key;
    EXPECT_EQ(run.fact("images_seen"), std::to_string(want.images_seen));
    EXPECT_EQ(run.fact("loaded_bytes"),
              std::to_string(want.loaded_batches * 8 * (3 * 32 * 32 * 4 + 8)));
    EXPECT_EQ(result.facts.contains("gradient_bytes"), is_ddp(strategy_from(strategy)));
    EXPECT_TRUE(result.verification.done);
    EXPECT_EQ(result.verification.wrong, 0U);
    EXPECT_NE(result.verification.rule.find("identical on all ranks"), std::string::npos);
    check_series(run, want);
  }
}

TEST(ImagingStrategies, WorkersAndLoadersDoNotChangeTheTraining) {
  const std::vector<std::string> axes{"image=28", "batch=8", "images=64"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = axes;
    all.insert(all.end(), more.begin(), more.end());
    return run_train(all);
  };
  const TrainRun plain = with({}), workers = with({"workers=3"}), device = with({"loader=device"});
  if (!root()) return;
  EXPECT_EQ(plain.series("step_loss", 0), workers.series("step_loss", 0));
  EXPECT_EQ(plain.series("step_loss", 1), workers.series("step_loss", 1));
  EXPECT_NEAR(plain.value("first_loss"), device.value("first_loss"), 1e-4);
  EXPECT_EQ(device.fact("loaded_bytes"), std::to_string(64 * (28 * 28 + 8)));
  EXPECT_NE(plain.result().key, workers.result().key);
}

TEST(ImagingStrategies, Fp64AndBf16BeginLikeFp32) {
  const auto with = [](const std::string& precision) {
    return run_train({"image=32", "batch=8", "images=32", "precision=" + precision});
  };
  const TrainRun fp32 = with("fp32"), fp64 = with("fp64"), bf16 = with("bf16");
  if (!root()) return;
  EXPECT_EQ(fp64.result().status, Status::ok) << fp64.result().reason;
  EXPECT_EQ(bf16.result().status, Status::ok) << bf16.result().reason;
  EXPECT_NEAR(fp64.value("first_loss"), fp32.value("first_loss"), 0.05);
  EXPECT_NEAR(bf16.value("first_loss"), fp32.value("first_loss"), 0.05);
  EXPECT_NE(fp64.value("first_loss"), fp32.value("first_loss"));
  EXPECT_EQ(fp64.fact("gradient_bytes"), std::to_string(8 * 2236682));
  EXPECT_EQ(fp32.fact("gradient_bytes"), std::to_string(4 * 2236682));
  EXPECT_FALSE(bf16.result().facts.contains("loss_scale"));
  // What goes to the device: all 32 images in the training's precision, and their labels.
  const auto bytes = [](int value) { return std::to_string(32 * (3 * 32 * 32 * value + 8)); };
  EXPECT_EQ(fp64.fact("loaded_bytes"), bytes(8));
  EXPECT_EQ(fp32.fact("loaded_bytes"), bytes(4));
  EXPECT_EQ(bf16.fact("loaded_bytes"), bytes(2));
}

TEST(ImagingStrategies, Fp16RecordsItsLossScale) {
  const TrainRun run = run_train({"image=32", "batch=4", "images=16", "precision=fp16"});
  EXPECT_EQ(run.outcome.ok, 1U);
  if (!root()) return;
  const double skipped = std::stod(run.fact("skipped_steps"));
  EXPECT_EQ(std::stod(run.fact("loss_scale")), 65536 * std::pow(0.5, skipped));
}

TEST(ImagingStrategies, WhatThisDeviceCannotDoIsSkippedWithTheReason) {
  const auto reason = [](const std::vector<std::string>& axes) {
    std::vector<std::string> all{"image=32", "batch=8", "images=64"};
    all.insert(all.end(), axes.begin(), axes.end());
    const TrainRun run = run_train(all);
    EXPECT_EQ(run.outcome.skipped, 1U) << axes.front();
    return root() ? run.result().reason : std::string();
  };
  const std::string pinned = reason({"pin_memory=true"});
  const std::string tf32 = reason({"precision=tf32"});
  const std::string replicas = reason({"strategy=data_parallel_persistent", "replicas=9"});
  if (!root()) return;
  EXPECT_NE(pinned.find("pinned memory is for copies to a GPU"), std::string::npos) << pinned;
  EXPECT_NE(tf32.find("tf32 is a format of NVIDIA GPUs"), std::string::npos) << tf32;
  EXPECT_NE(replicas.find("8 cannot be divided over 9 replicas"), std::string::npos) << replicas;
}

}  // namespace
}  // namespace scalemark::imaging
