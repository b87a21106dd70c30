// SPDX-License-Identifier: Apache-2.0
// Steps of fine-tuning: ranks, micro-batches and kinds of loss give the same training.
#include <algorithm>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <torch/utils.h>

#include "common/base/error.hpp"
#include "common/collective/communicator.hpp"
#include "common/device/device.hpp"
#include "common/torch/fingerprint.hpp"
#include "suites/llm/train/step.hpp"
#include "tests/suites/llm/small_config.hpp"
#include "tests/suites/llm/small_rows.hpp"
#include "tests/support/mpi_main.hpp"
#include "tests/support/running_graph.hpp"

namespace scalemark::llm {
namespace {

using test::RunningGraph;

Llama model_with(bool lora) {
  torch::manual_seed(4);
  Llama model(medium_config(), torch::TensorOptions(torch::kDouble));
  if (lora) {
    add_lora(*model, {});
    const torch::NoGradGuard no_grad;  // adapters that do something from the first step on
    for (const torch::Tensor& parameter : trainable_parameters(*model)) parameter.normal_(0, 0.05);
  }
  return model;
}

struct FinetunerResult {
  std::vector<double> losses;  ///< sums over this rank's labels
  std::vector<torch::Tensor> parameters;
  double norm = 0;
};

struct FinetunerVariant {
  bool lora = true, fused = false, checkpoints = false;
  std::int64_t batch = kRankBatch, accumulation = 1;
  bool fused_layers = false;
  bool replicas = false, graphs = false;  ///< gradients in one block; recorded steps
  std::int64_t steps = kSteps, multiple = 1;
  double clip = 0;
};

class FinetunerRanks : public testing::Test {
 protected:
  /// kSteps steps on all ranks with `group`, else on this one alone.
  FinetunerResult train(const FinetunerVariant& variant,
                        const torch_support::ProcessGroupPtr& with) const {
    const std::int64_t ranks = with ? size : 1;
    TokenLoader loader(small_rows(), {.batch = variant.batch,
                                      .ranks = ranks,
                                      .rank = with ? rank : 0,
                                      .seed = 5,
                                      .padding = kPadding,
                                      .multiple = variant.multiple,
                                      .longest = 15});
    Llama model = model_with(variant.lora);
    model->checkpoint_layers(variant.checkpoints);
    model->fuse(variant.fused_layers);
    const std::unique_ptr<Parallelism> parallelism = variant.replicas ? make_replicas(with)
                                                     : with           ? make_ddp(with)
                                                                      : make_single();
    parallelism->add(model);
    Finetuner finetuner(model, {.adamw = {.learning_rate = 1e-2}, .clip = variant.clip},
                        *parallelism, std::make_unique<LanguageModelling>(variant.fused));
    if (variant.graphs) {
      finetuner.record(
          [](const torch_support::StepGraph*) { return std::make_unique<RunningGraph>(); });
    }
    FinetunerResult result;
    loader.start(0);
    for (std::int64_t step = 0; step < variant.steps; ++step) {
      const auto [batches, labels] = next_micro_batches(loader, variant.accumulation);
      const StepResult done = finetuner.step(batches, with ? test::world().sum(labels) : labels);
      result.losses.push_back(done.loss);
      result.norm = done.gradient_norm;
    }
    for (const torch::Tensor& parameter : finetuner.parameters())
      result.parameters.push_back(parameter.detach().clone());
    return result;
  }

  static double difference(const FinetunerResult& a, const FinetunerResult& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.parameters.size(); ++i) {
      largest = std::max(largest, (a.parameters[i] - b.parameters[i]).abs().max().item<double>());
    }
    return largest;
  }

  const int rank = test::world().rank(), size = test::world().size();
  std::unique_ptr<device::Device> host = device::make_host_device();
  std::unique_ptr<collective::Communicator> comm =
      collective::make_mpi_communicator(test::world(), *host);
  torch_support::ProcessGroupPtr group = torch_support::make_mpi_process_group(*comm);
};

TEST_F(FinetunerRanks, RanksThatDivideARowSetAreOneRankWithAllOfIt) {
  for (const bool lora : {true, false}) {
    const FinetunerResult alone = train({.lora = lora, .batch = kRankBatch * size}, {});
    const FinetunerResult together = train({.lora = lora}, group);
    EXPECT_LT(difference(alone, together), 1e-9) << "lora " << lora;
    EXPECT_NEAR(alone.norm, together.norm, 1e-9 * alone.norm);
    EXPECT_TRUE(torch_support::equal_on_all_ranks(test::world(),
                                                  torch_support::fingerprint(together.parameters)));
    const FinetunerResult start{{},
                                [&] {
                                  std::vector<torch::Tensor> values;
                                  for (const auto& p : trainable_parameters(*model_with(lora)))
                                    values.push_back(p.detach().clone());
                                  return values;
                                }(),
                                0};
    EXPECT_GT(difference(alone, start), 1e-3) << "it trains";
  }
}

TEST_F(FinetunerRanks, MicroBatchesAreOneLargeBatch) {
  const FinetunerResult whole = train({.batch = kRankBatch * 2}, {});
  const FinetunerResult parts = train({.batch = kRankBatch, .accumulation = 2}, {});
  EXPECT_LT(difference(whole, parts), 1e-9);
  const FinetunerResult reduced = train({.batch = kRankBatch, .accumulation = 2}, group);
  const FinetunerResult reduced_whole = train({.batch = kRankBatch * 2}, group);
  EXPECT_LT(difference(reduced, reduced_whole), 1e-9) << "rows of a rank are the same";
}

TEST_F(FinetunerRanks, TheKindOfLossAndCheckpointsChangeNothing) {
  for (const bool lora : {true, false}) {
    const FinetunerResult plain = train({.lora = lora}, group);
    const FinetunerResult fused = train({.lora = lora, .fused = true}, group);
    const FinetunerResult kept = train({.lora = lora, .checkpoints = true}, group);
    EXPECT_LT(difference(plain, fused), 1e-9);
    EXPECT_LT(difference(plain, kept), 1e-12);
    for (std::size_t i = 0; i < plain.losses.size(); ++i)
      EXPECT_NEAR(fused.losses[i], plain.losses[i], 1e-9 * plain.losses[i]);
  }
}

TEST_F(FinetunerRanks, FusedLayersChangeNothing) {
  for (const bool lora : {true, false}) {
    for (const bool checkpoints : {true, false}) {
      const FinetunerResult plain = train({.lora = lora, .checkpoints = checkpoints}, group);
      const FinetunerResult fused =
          train({.lora = lora, .checkpoints = checkpoints, .fused_layers = true}, group);
      EXPECT_LT(difference(plain, fused), 1e-12);
    }
  }
}

TEST_F(FinetunerRanks, PaddingUpToAMultipleChangesNothing) {
  const FinetunerResult narrow = train({}, {}), wide = train({.multiple = 8}, {});
  EXPECT_LT(difference(narrow, wide), 1e-12);
}

TEST_F(FinetunerRanks, GradientsInOneBlockAreThoseOfDdp) {
  for (const std::int64_t accumulation : {1, 2}) {
    const FinetunerResult ddp = train({.accumulation = accumulation, .clip = 0.5}, group);
    const FinetunerResult block =
        train({.accumulation = accumulation, .replicas = true, .clip = 0.5}, group);
    EXPECT_LT(difference(ddp, block), 1e-9);
    EXPECT_NEAR(ddp.norm, block.norm, 1e-9 * ddp.norm);
    EXPECT_TRUE(torch_support::equal_on_all_ranks(test::world(),
                                                  torch_support::fingerprint(block.parameters)));
  }
  const FinetunerResult single = train({}, {}), alone = train({.replicas = true}, {});
  EXPECT_LT(difference(single, alone), 1e-12);
}

TEST_F(FinetunerRanks, RecordedStepsAreThoseThatWereNotRecorded) {
  // The learning rate is rounded to fp32 where steps are recorded.
  const std::int64_t steps = 24 / (kRankBatch * size);
  for (const auto& with : {torch_support::ProcessGroupPtr(), group}) {
    for (const std::int64_t multiple : {1, 8, 16}) {
      RunningGraph::reset();
      const FinetunerResult plain =
          train({.replicas = true, .steps = steps, .multiple = multiple, .clip = 0.5}, with);
      const FinetunerResult recorded = train(
          {.replicas = true, .graphs = true, .steps = steps, .multiple = multiple, .clip = 0.5},
          with);
      EXPECT_LT(difference(plain, recorded), 1e-7);
      for (std::size_t i = 0; i < plain.losses.size(); ++i)
        EXPECT_NEAR(recorded.losses[i], plain.losses[i], 1e-6 * plain.losses[i]) << i;
      EXPECT_EQ(RunningGraph::warm_ups + RunningGraph::launches, 2 * steps) << "pass and update";
      if (multiple == 16) {
        EXPECT_EQ(RunningGraph::captures, 2) << "one width, at most 15";
      }
      EXPECT_GE(RunningGraph::launches, steps - 3) << "the update";
    }
  }
}

TEST_F(FinetunerRanks, StepsAreRecordedOnlyWhereGradientsStay) {
  Llama model = model_with(true);
  const std::unique_ptr<Parallelism> parallelism = make_single();
  parallelism->add(model);
  Finetuner finetuner(model, {}, *parallelism);
  EXPECT_THROW(finetuner.record([](const torch_support::StepGraph*) {
    return std::make_unique<RunningGraph>();
  }),
               Error);
}

TEST_F(FinetunerRanks, AStepWithoutLabelsLeavesTheParameters) {
  Llama model = model_with(true);
  const std::unique_ptr<Parallelism> parallelism = make_ddp(group);
  parallelism->add(model);
  Finetuner finetuner(model, {.adamw = {.learning_rate = 1e-2, .weight_decay = 0}}, *parallelism);
  std::vector<torch::Tensor> before;
  for (const torch::Tensor& parameter : finetuner.parameters())
    before.push_back(parameter.detach().clone());
  std::vector<TokenRow> masked = small_rows();
  for (TokenRow& row : masked) std::ranges::fill(row.labels, kIgnoredLabel);
  TokenLoader loader(std::move(masked),
                     {.batch = 2, .ranks = size, .rank = rank, .padding = kPadding});
  loader.start(0);
  const StepResult done = finetuner.step(std::vector{loader.next()}, 0);
  EXPECT_EQ(done.loss, 0);
  EXPECT_EQ(done.gradient_norm, 0);
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_TRUE(torch::equal(finetuner.parameters()[i], before[i]));
}

}  // namespace
}  // namespace scalemark::llm
