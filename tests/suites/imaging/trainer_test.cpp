// SPDX-License-Identifier: Apache-2.0
// Steps in one process: data parallelism against one device, mixed precision against itself.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/torch/fingerprint.hpp"
#include "suites/imaging/train/step.hpp"
#include "tests/suites/imaging/trainer_model.hpp"

namespace scalemark::imaging {
namespace {

const std::vector<Strategy> kDataParallel{Strategy::data_parallel_replicate,
                                          Strategy::data_parallel_persistent,
                                          Strategy::data_parallel_device_scatter};

TrainerOptions options_for(Strategy strategy, int replicas = 1,
                           const std::string& precision = "fp64") {
  TrainerOptions options;
  options.strategy = strategy;
  options.precision = torch_support::precision(precision);
  options.replicas = replicas;
  return options;
}

std::unique_ptr<Trainer> trainer_for(Strategy strategy, int replicas) {
  TrainerOptions options = options_for(strategy, replicas);
  options.learning_rate = 1e-3;  // it stays near the start, where nothing is chaotic
  return make_trainer(filled_model(), options, {});
}

/// Losses and counts of three steps on one batch, in evaluation mode: statistics of a batch depend
/// on how it is divided.
struct Frozen {
  std::vector<double> losses;
  std::vector<std::int64_t> right;
  std::vector<at::Tensor> parameters;
};
Frozen frozen_steps(Trainer& trainer, const Batch& batch) {
  Frozen result;
  trainer.model().eval();
  for (int i = 0; i < 3; ++i) {
    const StepResult step = trainer.step(batch);
    result.losses.push_back(step.loss.item<double>());
    result.right.push_back(step.right.item<std::int64_t>());
  }
  result.parameters = copy_of(trainer.model().parameters());
  return result;
}

/// 7 rows over 3 replicas are 3, 3 and 1; 4 over 3 are 2 and 2, and one replica has none.
TEST(DataParallel, UpdatesAreThoseOfOneDeviceWithTheWholeBatch) {
  const std::vector<at::Tensor> start = copy_of(filled_model()->parameters());
  for (const std::int64_t size : {7, 4}) {
    const Batch batch = random_batch(size);
    const Frozen want = frozen_steps(*trainer_for(Strategy::single, 1), batch);
    EXPECT_GT(smallest_movement(start, want.parameters), 1e-7) << "nothing to compare";
    for (const Strategy strategy : kDataParallel) {
      for (const int replicas : {2, 3}) {
        SCOPED_TRACE("batch " + std::to_string(size) + ", strategy " +
                     std::to_string(static_cast<int>(strategy)) + ", replicas " +
                     std::to_string(replicas));
        const Frozen got = frozen_steps(*trainer_for(strategy, replicas), batch);
        EXPECT_LT(largest_difference(got.parameters, want.parameters), 1e-10);
        EXPECT_EQ(got.right, want.right);
        for (std::size_t i = 0; i < want.losses.size(); ++i)
          EXPECT_NEAR(got.losses[i], want.losses[i], 1e-10);
      }
    }
  }
}

/// Batches of other sizes in turn: a replica that had work has none, and again.
TEST(DataParallel, ReplicasWithoutWorkAddNothing) {
  const Batch batch = random_batch(6);
  const auto train = [&](Strategy strategy, int replicas) {
    const auto trainer = trainer_for(strategy, replicas);
    trainer->model().eval();
    for (const std::int64_t size : {6, 2, 1, 6, 4})
      trainer->step({batch.images.narrow(0, 0, size), batch.labels.narrow(0, 0, size)});
    return copy_of(trainer->model().parameters());
  };
  const std::vector<at::Tensor> want = train(Strategy::single, 1);
  for (const Strategy strategy : kDataParallel)
    EXPECT_LT(largest_difference(train(strategy, 3), want), 1e-10);
}

/// In training mode, with dropout.
TEST(DataParallel, OneReplicaIsTheSingleDeviceBitForBit) {
  for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
    const auto bits = [&](Strategy strategy) {
      at::manual_seed(1);
      TrainerOptions options = options_for(strategy, 1, "fp32");
      options.format = format;
      const auto trainer = make_trainer(std::make_shared<MobileNetV2>(), options, {});
      Batch batch = random_batch(4, at::kFloat);
      batch.images = batch.images.contiguous(format);
      at::manual_seed(2);
      std::vector<at::Tensor> all;
      for (int i = 0; i < 3; ++i) all.push_back(trainer->step(batch).loss);
      for (const at::Tensor& tensor : trainer->model().parameters()) all.push_back(tensor);
      for (const at::Tensor& tensor : trainer->model().buffers()) all.push_back(tensor);
      return torch_support::fingerprint(all);
    };
    for (const Strategy strategy : kDataParallel) EXPECT_EQ(bits(strategy), bits(Strategy::single));
  }
}

TEST(DataParallel, StatisticsKeptAreThoseOfTheFirstReplica) {
  const Batch batch = random_batch(8);
  const auto alone = trainer_for(Strategy::single, 1);
  alone->model().train();
  alone->step({batch.images.narrow(0, 0, 4), batch.labels.narrow(0, 0, 4)});
  const std::vector<at::Tensor> before = filled_model()->buffers();
  EXPECT_GT(smallest_movement(before, alone->model().buffers()), 1e-6);
  for (const Strategy strategy : kDataParallel) {
    const auto trainer = trainer_for(strategy, 2);
    trainer->model().train();
    trainer->step(batch);
    EXPECT_LT(largest_difference(trainer->model().buffers(), alone->model().buffers()), 1e-12);
  }
}

/// The same few images again and again: the loss must fall, in 16 bits too.
struct Learnt {
  double largest_gradient = 0;  ///< of the first step
  std::vector<double> losses;
  double scale = 1;
  std::int64_t skipped = 0;
  bool fp32_parameters = true;
};
Learnt learn(const std::string& precision, Strategy strategy, int replicas, int steps = 10) {
  at::manual_seed(1);
  TrainerOptions options = options_for(strategy, replicas, precision);
  options.learning_rate = 0.02;
  const auto trainer = make_trainer(std::make_shared<MobileNetV2>(), options, {});
  trainer->model().train();
  const Batch batch = random_batch(8, at::kFloat);
  const std::vector<at::Tensor> start = copy_of(trainer->model().parameters());
  Learnt learnt;
  for (int i = 0; i < steps; ++i) {
    learnt.losses.push_back(trainer->step(batch).loss.to(at::kDouble).item<double>());
    // The first step of SGD is the learning rate times the gradient.
    if (i == 0)
      learnt.largest_gradient = largest_difference(trainer->model().parameters(), start) / 0.02;
  }
  learnt.scale = trainer->scaler().current();
  learnt.skipped = trainer->scaler().skipped();
  for (const at::Tensor& parameter : trainer->model().parameters())
    learnt.fp32_parameters &= parameter.scalar_type() == at::kFloat;
  return learnt;
}

void expect_learnt(const Learnt& learnt, const Learnt& fp32) {
  for (const double loss : learnt.losses) EXPECT_TRUE(std::isfinite(loss));
  // 52 normalisations over eight images amplify roundings. CPUs without products in bf16 round
  // their sums in parts, too, which changes the first loss by 0.07.
  EXPECT_NEAR(learnt.losses.front(), fp32.losses.front(), 0.15);
  EXPECT_NE(learnt.losses.front(), fp32.losses.front()) << "it was computed in fp32";
  EXPECT_LT(learnt.losses.back(), learnt.losses.front() / 2);
  EXPECT_TRUE(learnt.fp32_parameters);
}

TEST(MixedPrecision, TrainsInSixteenBitsWithFp32Parameters) {
  const Learnt fp32 = learn("fp32", Strategy::single, 1);
  EXPECT_LT(fp32.losses.back(), fp32.losses.front() / 2);
  for (const char* precision : {"bf16", "fp16"}) {
    SCOPED_TRACE(precision);
    ASSERT_EQ(torch_support::why_not(torch_support::precision(precision), c10::Device(c10::kCPU)),
              "");
    const bool scales = std::string(precision) == "fp16";
    const Learnt learnt = learn(precision, Strategy::single, 1, scales ? 18 : 10);
    expect_learnt(learnt, fp32);
    EXPECT_EQ(learnt.scale,
              scales ? 65536 * std::pow(0.5, static_cast<double>(learnt.skipped)) : 1.0);
    // The scale must come down until scale * gradient fits in fp16, and not much further.
    const double halvings = std::log2(65536 * fp32.largest_gradient / 65504);
    if (scales)
      EXPECT_NEAR(static_cast<double>(learnt.skipped), std::ceil(halvings), 2);
    else
      EXPECT_EQ(learnt.skipped, 0);
  }
}

TEST(MixedPrecision, TrainsWithReplicas) {
  constexpr int kSteps = 3;
  const Learnt single = learn("bf16", Strategy::single, 1, kSteps);
  for (const Strategy strategy : kDataParallel) {
    EXPECT_EQ(learn("bf16", strategy, 1, kSteps).losses, single.losses);
    const Learnt fp16 = learn("fp16", strategy, 2, 2);
    for (const double loss : fp16.losses) EXPECT_NEAR(loss, std::log(10.0), 0.6);
    EXPECT_TRUE(fp16.fp32_parameters);
    EXPECT_EQ(fp16.scale, 65536 * std::pow(0.5, static_cast<double>(fp16.skipped)));
  }
}

/// The scale is a power of two: in fp64 nothing of it is left in the updates.
TEST(MixedPrecision, TheScaleLeavesTheUpdatesAsTheyAre) {
  const Batch batch = random_batch(7);
  const Frozen want = frozen_steps(*trainer_for(Strategy::single, 1), batch);
  for (const Strategy strategy :
       {Strategy::single, Strategy::data_parallel_replicate, Strategy::data_parallel_persistent,
        Strategy::data_parallel_device_scatter}) {
    TrainerOptions options = options_for(strategy, 2);
    options.learning_rate = 1e-3;
    options.precision.scales_loss = true;
    const auto trainer = make_trainer(filled_model(), options, {});
    const Frozen got = frozen_steps(*trainer, batch);
    EXPECT_LT(largest_difference(got.parameters, want.parameters), 1e-10);
    for (std::size_t i = 0; i < want.losses.size(); ++i)
      EXPECT_NEAR(got.losses[i], want.losses[i], 1e-10) << "the loss itself is not scaled";
    EXPECT_EQ(trainer->scaler().current(), 65536);
    EXPECT_EQ(trainer->scaler().skipped(), 0);
  }
}

TEST(Trainer, LossAndCountAsWorkedOutByHand) {
  // Row 0: ln(1 + 1) with equal logits; row 1: logits 0 and ln 3, label 0 has 1/4.
  const at::Tensor logits = at::tensor({0.0, 0.0, 0.0, std::log(3.0)}, at::kDouble).view({2, 2});
  const at::Tensor labels = at::tensor({0, 0}, at::kLong);
  EXPECT_NEAR(mean_loss(logits, labels).item<double>(), (std::log(2) + std::log(4)) / 2, 1e-15);
  EXPECT_EQ(mean_loss(logits.to(at::kHalf), labels).scalar_type(), at::kFloat);
  EXPECT_EQ(mean_loss(logits.to(at::kBFloat16), labels).scalar_type(), at::kFloat);
  EXPECT_EQ(mean_loss(logits, labels).scalar_type(), at::kDouble);
  EXPECT_EQ(count_right(logits, at::tensor({0, 1}, at::kLong)).item<std::int64_t>(), 2);
  EXPECT_EQ(count_right(logits, at::tensor({1, 0}, at::kLong)).item<std::int64_t>(), 0);
}

}  // namespace
}  // namespace scalemark::imaging
