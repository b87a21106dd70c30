// SPDX-License-Identifier: Apache-2.0
// Fully sharded training on 1 to 4 ranks follows that of one device, moves the bytes of its formula
// and needs the memory that is predicted.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <torch/utils.h>

#include "common/base/error.hpp"
#include "common/collective/communicator.hpp"
#include "common/device/device.hpp"
#include "common/torch/cpu_memory.hpp"
#include "suites/llm/quant/qat.hpp"
#include "suites/llm/quant/qlora.hpp"
#include "suites/llm/train/dpo.hpp"
#include "suites/llm/train/memory.hpp"
#include "suites/llm/train/sharded_traffic.hpp"
#include "suites/llm/train/step.hpp"
#include "tests/suites/llm/small_config.hpp"
#include "tests/suites/llm/small_rows.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::llm {
namespace {

using torch_support::FsdpOptions;
using torch_support::FsdpTraffic;

enum class FsdpMethod { lora, full, qlora, qat };

struct FsdpVariant {
  FsdpMethod method = FsdpMethod::lora;
  torch::ScalarType type = torch::kDouble;
  bool fused = false, checkpoints = false, tied = false, gloo = false, fake_quant = true;
  std::int64_t accumulation = 1;
  FsdpOptions fsdp = {};
};

LlamaConfig config_of(const FsdpVariant& variant) {
  LlamaConfig config = medium_config();
  config.tied_output = variant.tied;
  config.layers = 3;
  if (variant.method == FsdpMethod::qlora) {  // NF4 wants whole blocks of 64 * 256
    config.dim = config.ffn_dim = 128;
    config.kv_heads = config.heads;
  }
  return config;
}

/// Part by part as the benchmark makes it.
Llama make_model(const FsdpVariant& variant, Parallelism& parallelism) {
  torch::manual_seed(4);
  Llama model(config_of(variant), torch::TensorOptions(variant.type), [&](torch::nn::Module& part) {
    if (variant.method == FsdpMethod::qlora && part.as<DecoderLayerImpl>() != nullptr)
      quantise_base(part);
    parallelism.add_part(part);
  });
  if (variant.method == FsdpMethod::lora || variant.method == FsdpMethod::qlora) {
    add_lora(*model, {});
    const torch::NoGradGuard no_grad;  // adapters that do something from the first step on
    for (const torch::Tensor& parameter : trainable_parameters(*model)) parameter.normal_(0, 0.05);
  }
  if (variant.method == FsdpMethod::qat) {
    prepare_qat(*model, {.group = 16});
    switch_fake_quant(*model, variant.fake_quant);
  }
  model->checkpoint_layers(variant.checkpoints);
  parallelism.add(model);
  return model;
}

struct FsdpResult {
  std::vector<double> losses, norms;  ///< losses: sums over the labels of all ranks
  std::vector<torch::Tensor> parameters;
  std::vector<FsdpTraffic> traffic;
  std::vector<torch_support::ShardMessage> messages;
  FsdpTraffic expected;
};

class Fsdp : public testing::Test {
 protected:
  torch_support::ProcessGroupPtr group_of(const FsdpVariant& variant) {
    if (!variant.gloo) return mpi;
    if (!gloo)
      gloo = torch_support::make_gloo_process_group(test::world(), std::chrono::seconds(600));
    return gloo;
  }

  /// kSteps steps, of all ranks together or of this one with all rows.
  FsdpResult train(const FsdpVariant& variant, bool sharded) {
    const std::int64_t ranks = sharded ? size : 1;
    TokenLoader loader(small_rows(), {.batch = kRankBatch * size / ranks,
                                      .ranks = ranks,
                                      .rank = sharded ? rank : 0,
                                      .seed = 5,
                                      .padding = kPadding});
    const auto parallelism =
        sharded ? make_fsdp(group_of(variant), variant.fsdp, torch::kCPU) : make_single();
    const Llama model = make_model(variant, *parallelism);
    Finetuner finetuner(model, {.adamw = {.learning_rate = 1e-2}}, *parallelism,
                        std::make_unique<LanguageModelling>(variant.fused));
    FsdpResult result;
    loader.start(0);
    for (std::int64_t step = 0; step < kSteps / variant.accumulation; ++step) {
      const auto [batches, labels] = next_micro_batches(loader, variant.accumulation);
      const StepResult done = finetuner.step(batches, sharded ? test::world().sum(labels) : labels);
      result.losses.push_back(sharded ? sum(done.loss) : done.loss);
      result.norms.push_back(done.gradient_norm);
      result.traffic.push_back(done.communication.traffic);
    }
    parallelism->visit(model->parameters(), [&](const torch::Tensor& parameter) {
      result.parameters.push_back(parameter.detach().clone());
    });
    result.messages = parallelism->shard_messages();
    if (sharded) expect_stated_parts(model, *parallelism);
    result.expected = expected_traffic(
        model,
        {.ranks = size, .micro_batches = variant.accumulation, .reshard = variant.fsdp.reshard});
    return result;
  }

  /// What a rank really trains is what trained_parts() says.
  void expect_stated_parts(const Llama& model, const Parallelism& parallelism) const {
    const ShardedParts parts = trained_parts(model, size);
    std::int64_t elements = 0;
    for (const torch::Tensor& part : parallelism.parameters()) elements += part.numel();
    EXPECT_EQ(parts.elements, elements);
    EXPECT_EQ(parts.tensors, std::ssize(parallelism.parameters()));
  }

  double sum(double mine) const {
    double all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, test::world().get());
    return all;
  }

  static double difference(const FsdpResult& a, const FsdpResult& b) {
    double largest = 0;
    EXPECT_EQ(a.parameters.size(), b.parameters.size());
    for (std::size_t i = 0; i < a.parameters.size(); ++i)
      largest = std::max(largest, (a.parameters[i] - b.parameters[i]).abs().max().item<double>());
    return largest;
  }

  /// Both trainings, step by step.
  void follows(const FsdpVariant& variant, double tolerance) {
    const FsdpResult alone = train(variant, false), sharded = train(variant, true);
    for (std::size_t i = 0; i < alone.losses.size(); ++i) {
      EXPECT_NEAR(sharded.losses[i], alone.losses[i], tolerance * alone.losses[i]) << "step " << i;
      EXPECT_NEAR(sharded.norms[i], alone.norms[i], 10 * tolerance * alone.norms[i])
          << "step " << i;
      EXPECT_EQ(sharded.traffic[i], sharded.expected);
    }
    EXPECT_LT(difference(alone, sharded), variant.type == torch::kDouble ? tolerance : 0.02);
  }

  const int rank = test::world().rank(), size = test::world().size();
  std::unique_ptr<device::Device> host = device::make_host_device();
  std::unique_ptr<collective::Communicator> comm =
      collective::make_mpi_communicator(test::world(), *host);
  torch_support::ProcessGroupPtr mpi = torch_support::make_mpi_process_group(*comm), gloo;
};

TEST_F(Fsdp, FollowsOneDevice) {
  for (const FsdpMethod method : {FsdpMethod::lora, FsdpMethod::full, FsdpMethod::qlora}) {
    SCOPED_TRACE(static_cast<int>(method));
    follows({.method = method}, 1e-9);
    follows({.method = method, .type = torch::kFloat}, 1e-4);
  }
}

TEST_F(Fsdp, FollowsOneDeviceHoweverItIsDone) {
  for (const FsdpMethod method : {FsdpMethod::lora, FsdpMethod::full}) {
    SCOPED_TRACE(static_cast<int>(method));
    follows({.method = method, .checkpoints = true}, 1e-9);
    follows({.method = method, .fsdp = {.reshard = false}}, 1e-9);
    follows({.method = method, .checkpoints = true, .fsdp = {.reshard = false, .prefetch = 0}},
            1e-9);
    follows({.method = method, .fused = true, .fsdp = {.prefetch = 5}}, 1e-9);
    follows({.method = method, .tied = true}, 1e-9);
    follows({.method = method, .accumulation = 3}, 1e-9);
  }
}

TEST_F(Fsdp, FollowsOneDeviceOverGloo) {
  if (!torch_support::has_gloo()) GTEST_SKIP() << "this build has no gloo";
  follows({.gloo = true}, 1e-9);
  follows({.method = FsdpMethod::full, .checkpoints = true, .gloo = true}, 1e-9);
}

TEST_F(Fsdp, FollowsOneDeviceWithFakeQuantisation) {
  follows({.method = FsdpMethod::qat, .fake_quant = false}, 1e-9);
  const FsdpVariant variant{.method = FsdpMethod::qat, .type = torch::kFloat};
  const FsdpResult alone = train(variant, false), sharded = train(variant, true);
  // A weight at the border of two codes may fall to either once the sums differ in their last bit.
  EXPECT_NEAR(sharded.losses[0], alone.losses[0], 2e-3 * alone.losses[0]);
  for (std::size_t i = 1; i < alone.losses.size(); ++i)
    EXPECT_NEAR(sharded.losses[i], alone.losses[i], 0.05 * alone.losses[i]);
}

TEST_F(Fsdp, TrainsInBf16OverMpi) {
  const FsdpVariant variant{.method = FsdpMethod::full, .type = torch::kBFloat16};
  const FsdpResult alone = train(variant, false), sharded = train(variant, true);
  for (std::size_t i = 0; i < alone.losses.size(); ++i)
    EXPECT_NEAR(sharded.losses[i], alone.losses[i], 0.03 * alone.losses[i]);
  EXPECT_EQ(sharded.traffic.back(), sharded.expected);
}

/// Four tokens a row; the answers are the last two.
DpoBatch pairs(std::int64_t first, std::int64_t count) {
  const auto row = [](std::int64_t i) {
    return torch::tensor({i % 50, i * 7 % 50, i * 11 % 50, i * 13 % 50}, torch::kLong);
  };
  std::vector<torch::Tensor> chosen, rejected;
  for (std::int64_t i = first; i < first + count; ++i) {
    chosen.push_back(row(i + 1));
    rejected.push_back(row(i + 31));
  }
  const auto labels = [](const torch::Tensor& tokens) {
    torch::Tensor made = tokens.clone();
    made.narrow(1, 0, 2).fill_(-100);
    return made;
  };
  const torch::Tensor good = torch::stack(chosen), bad = torch::stack(rejected);
  return make_dpo_batch(good, labels(good), bad, labels(bad), kPadding);
}

TEST_F(Fsdp, FollowsOneDeviceWithPreferences) {
  const auto train_pairs = [&](bool sharded, bool reshard) {
    const auto parallelism =
        sharded ? make_fsdp(mpi, {.reshard = reshard}, torch::kCPU) : make_single();
    Llama model = make_model({}, *parallelism);
    AdamW optimiser(parallelism->parameters(), {.learning_rate = 1e-2});
    const std::int64_t mine = sharded ? kRankBatch : kRankBatch * size;
    std::vector<double> losses;
    for (std::int64_t step = 0; step < kSteps; ++step) {
      const DpoBatch batch =
          pairs(step * kRankBatch * size + (sharded ? rank * kRankBatch : 0), mine);
      const LogProbabilities reference = dpo_reference(model, batch);
      parallelism->before_forward(true);
      const torch::Tensor loss =
          dpo_loss(dpo_log_probabilities(model, batch), reference, {}).losses.sum() /
          static_cast<double>(kRankBatch * size);
      parallelism->before_backward(true);
      (loss * parallelism->loss_factor()).backward();
      parallelism->after_backward();
      const FsdpTraffic traffic = parallelism->take_communication().traffic;
      if (sharded) {
        EXPECT_EQ(traffic, expected_traffic(
                               model, {.ranks = size, .reference_passes = 1, .reshard = reshard}));
      }
      optimiser.step();
      parallelism->zero_gradients();
      losses.push_back(sharded ? sum(loss.item<double>()) : loss.item<double>());
    }
    return losses;
  };
  const std::vector<double> alone = train_pairs(false, true);
  EXPECT_NE(alone.front(), alone.back());
  for (const bool reshard : {true, false}) {
    const std::vector<double> sharded = train_pairs(true, reshard);
    for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_NEAR(sharded[i], alone[i], 1e-9);
  }
}

TEST_F(Fsdp, AStepWithoutLabelsLeavesTheParameters) {
  const auto parallelism = make_fsdp(mpi, {}, torch::kCPU);
  const Llama model = make_model({}, *parallelism);
  const std::uint64_t before = fingerprint(*parallelism, model);
  Finetuner finetuner(model, {.adamw = {.learning_rate = 1e-2, .weight_decay = 0}}, *parallelism);
  std::vector<TokenRow> masked = small_rows();
  for (TokenRow& row : masked) std::ranges::fill(row.labels, kIgnoredLabel);
  TokenLoader loader(std::move(masked),
                     {.batch = kRankBatch, .ranks = size, .rank = rank, .padding = kPadding});
  loader.start(0);
  const StepResult done = finetuner.step(std::vector{loader.next()}, 0);
  EXPECT_EQ(done.loss, 0);
  EXPECT_EQ(done.gradient_norm, 0);
  EXPECT_EQ(fingerprint(*parallelism, model), before);
}

TEST_F(Fsdp, BytesAreThoseOfTheFormula) {
  const LlamaConfig config = config_of({});
  const ParameterCounts counts = count_parameters(config);
  const std::int64_t adapters = count_lora_parameters(config, {});
  // What a rank gets of `elements` doubles that are spread over all.
  const auto moved = [&](std::int64_t elements) {
    return static_cast<std::uint64_t>((elements + size - 1) / size * (size - 1) * 8);
  };
  const std::uint64_t root = 2 * moved(counts.embedding) + moved(config.dim);
  const auto layers = static_cast<std::uint64_t>(config.layers);

  const FsdpTraffic lora = train({}, true).traffic.front();
  EXPECT_EQ(lora.gathered_bytes, root + 2 * layers * (moved(counts.per_layer) + moved(adapters)));
  EXPECT_EQ(lora.reduced_bytes, layers * moved(adapters));
  EXPECT_EQ(lora.gathers, 3 + 2 * layers * 2);
  EXPECT_EQ(lora.reductions, layers);

  const FsdpVariant kept{.method = FsdpMethod::full, .accumulation = 3, .fsdp = {.reshard = false}};
  const FsdpTraffic full = train(kept, true).traffic.front();
  EXPECT_EQ(full.gathered_bytes, 3 * (root + layers * moved(counts.per_layer)));
  EXPECT_EQ(full.reduced_bytes, full.gathered_bytes);
}

TEST_F(Fsdp, NotesWhenEachCollectiveStartsAndIsNeeded) {
  for (const std::int64_t prefetch : {0, 1}) {
    const FsdpVariant variant{.method = FsdpMethod::full, .fsdp = {.prefetch = prefetch}};
    const FsdpResult result = train(variant, true);
    FsdpTraffic noted;
    double last = 0;
    for (const torch_support::ShardMessage& one : result.messages) {
      const bool gathers = one.kind == torch_support::ShardCollective::gather;
      const auto moved = static_cast<std::uint64_t>(one.bytes / size * (size - 1));
      noted += gathers ? FsdpTraffic{.gathers = 1, .gathered_bytes = moved}
                       : FsdpTraffic{.reductions = 1, .reduced_bytes = moved};
      EXPECT_GE(one.started, last);
      EXPECT_GE(one.needed, one.started);
      last = one.started;
    }
    EXPECT_EQ(result.messages.front().started, 0);
    EXPECT_EQ(noted, result.expected);
    // The root has three parts; the first layer follows, and the second.
    for (const std::size_t unit : {2, 3}) {
      const double next = result.messages[unit + 1].started, needed = result.messages[unit].needed;
      if (prefetch == 0)
        EXPECT_GE(next, needed) << "starts when the unit before is there";
      else
        EXPECT_LE(next, needed) << "starts while the rank computes what is before that unit";
    }
  }
}

/// Weights are nearly all.
LlamaConfig heavy_config() {
  LlamaConfig config = medium_config();
  config.dim = 128;
  config.ffn_dim = 512;
  config.layers = 16;
  return config;
}

TEST_F(Fsdp, NoRankEverHoldsTheWholeModel) {
  const LlamaConfig config = heavy_config();
  const auto make = [&](Parallelism& parallelism) {
    const torch_support::CpuMemoryScope counted;
    torch::manual_seed(4);
    Llama model(config, torch::TensorOptions(torch::kFloat),
                [&](torch::nn::Module& part) { parallelism.add_part(part); });
    parallelism.add(model);
    const std::uint64_t peak = torch_support::cpu_memory().peak;
    return std::pair(peak, fingerprint(parallelism, model));
  };
  const auto alone = make_single(), sharded = make_fsdp(mpi, {}, torch::kCPU);
  const auto [whole, seeded] = make(*alone);
  const auto [parts, same] = make(*sharded);
  EXPECT_EQ(seeded, same) << "weights do not depend on how they are spread";
  const ParameterCounts counts = count_parameters(config);
  // Its parts of all, and one layer as made and as laid out.
  const double most = 4.0 * static_cast<double>(counts.total / size + 2 * counts.per_layer);
  EXPECT_LT(static_cast<double>(parts), 1.1 * most);
  EXPECT_GE(static_cast<double>(whole), 4.0 * static_cast<double>(counts.total));
}

TEST_F(Fsdp, MemoryFallsWithTheRanksAsPredicted) {
  const LlamaConfig config = heavy_config();
  for (const bool lora : {true, false}) {
    for (const bool reshard : {true, false}) {
      const torch_support::CpuMemoryScope counted;
      const auto parallelism = make_fsdp(mpi, {.reshard = reshard}, torch::kCPU);
      torch::manual_seed(4);
      Llama model(config, torch::TensorOptions(torch::kFloat),
                  [&](torch::nn::Module& part) { parallelism->add_part(part); });
      if (lora) add_lora(*model, {});
      model->checkpoint_layers(true);
      parallelism->add(model);
      Finetuner finetuner(model, {}, *parallelism);
      TokenLoader loader(small_rows(),
                         {.batch = 1, .ranks = size, .rank = rank, .padding = kPadding});
      loader.start(0);
      std::int64_t widest = 0;
      for (std::int64_t step = 0; step < kSteps; ++step) {
        const Examples batch = loader.next();
        widest = std::max(widest, batch.tokens_bs.size(1));
        finetuner.step(std::vector{batch}, test::world().sum(batch.labels));
      }
      const auto predicted =
          predict_memory({.config = config,
                          .lora = lora,
                          .batch = 1,
                          .width = widest,
                          .checkpointing = true,
                          .sharding = MemorySharding{.ranks = size, .reshard = reshard}});
      const auto peak = static_cast<double>(torch_support::cpu_memory().peak);
      EXPECT_NEAR(static_cast<double>(predicted.total()) / peak, 1, 0.1)
          << "lora " << lora << ", reshard " << reshard << ", peak " << peak;
    }
  }
}

/// One number, of which two ranks cannot have parts.
struct Tiny : torch::nn::Module {
  explicit Tiny(std::int64_t elements) {
    value = register_parameter("value", torch::ones(elements));
  }
  torch::Tensor value;
};

TEST_F(Fsdp, WhatCannotBeIsRefused) {
  const auto record = std::make_shared<torch_support::FsdpRecord>(torch::kCPU, size);
  torch_support::Fsdp fsdp(mpi, {}, record);
  if (size > 1) {
    EXPECT_THROW(fsdp.shard_root(Tiny(1)), UsageError);
  }
  Tiny two(8);
  two.register_parameter("other", torch::ones(8));
  torch_support::Fsdp mixed(mpi, {}, record);
  mixed.shard_root(two);
  two.value.set_requires_grad(false);
  EXPECT_THROW(mixed.prepare(), Error);

  Tiny unused(8);
  torch_support::Fsdp idle(mpi, {}, record);
  idle.shard(0, unused);
  idle.prepare();
  idle.before_forward();
  EXPECT_THROW(idle.after_backward(), Error);
}

}  // namespace
}  // namespace scalemark::llm
