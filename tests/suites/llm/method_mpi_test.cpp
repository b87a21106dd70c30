// SPDX-License-Identifier: Apache-2.0
// Methods on several ranks: ranks that divide the rows are one rank with all of them.
#include <algorithm>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <torch/utils.h>

#include "common/collective/communicator.hpp"
#include "common/device/device.hpp"
#include "common/torch/fingerprint.hpp"
#include "common/torch/training/step_records.hpp"
#include "suites/llm/train/method.hpp"
#include "suites/llm/train/step.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::llm {
namespace {

constexpr Token kPadding = 60;
constexpr std::size_t kRows = 24;
constexpr std::int64_t kBatch = 2, kSteps = 3;  // a rank's

/// Each matrix is a block of NF4.
LlamaConfig config() {
  return {.vocab_size = 64,
          .dim = 128,
          .layers = 2,
          .heads = 4,
          .kv_heads = 4,
          .ffn_dim = 128,
          .max_seq_len = 32};
}

TokenRow row(std::size_t seed) {
  TokenRow made;
  for (std::size_t k = 0; k < 4 + seed * 7 % 11; ++k) {
    made.ids.push_back(static_cast<Token>((seed * 31 + k * 17) % 59));
    made.labels.push_back(k < 1 + seed % 3 ? kIgnoredLabel : made.ids.back());
  }
  return made;
}

TokenLoader make_loader(Method method, const TokenLoaderOptions& options) {
  std::vector<TokenRow> rows;
  std::vector<PreferenceTokens> pairs;
  for (std::size_t i = 0; i < kRows; ++i) {
    rows.push_back(row(i));
    pairs.push_back({row(i), row(i + 3)});
  }
  if (compares_answers(method)) return {std::move(pairs), options};
  return {std::move(rows), options};
}

/// Adapters do something from the first step on; the seed makes all ranks' models alike.
Llama make_model(Method method, Parallelism& parallelism) {
  torch::manual_seed(4);
  Llama model = make_method_model(method, config(), torch::TensorOptions(torch::kDouble),
                                  [&](torch::nn::Module& part) { parallelism.add_part(part); });
  if (trains_adapters(method)) {
    const torch::NoGradGuard no_grad;
    for (const torch::Tensor& parameter : trainable_parameters(*model)) parameter.normal_(0, 0.05);
  }
  parallelism.add(model);
  return model;
}

struct Trained {
  std::vector<double> norms;
  std::vector<std::vector<double>> sums;  ///< loss and what is observed, over all ranks
  std::vector<torch::Tensor> parameters;
};

/// kSteps steps; `divided`: this rank has its part of each step's rows.
Trained train(Method method, std::int64_t batch, bool fused, double clip, Parallelism& parallelism,
              bool divided) {
  TokenLoader loader = make_loader(method, {.batch = batch,
                                            .ranks = divided ? test::world().size() : 1,
                                            .rank = divided ? test::world().rank() : 0,
                                            .seed = 5,
                                            .padding = kPadding});
  const Llama model = make_model(method, parallelism);
  Finetuner finetuner(model, {.adamw = {.learning_rate = 1e-2}, .clip = clip}, parallelism,
                      make_objective(method, model, fused, &parallelism));
  Trained result;
  loader.start(0);
  for (std::int64_t step = 0; step < kSteps; ++step) {
    const std::vector<Examples> batches{loader.next()};
    std::int64_t counted = finetuner.objective().count(batches[0]);
    if (divided) counted = test::world().sum(counted);
    const StepResult done = finetuner.step(batches, counted);
    result.norms.push_back(done.gradient_norm);
    std::vector<double> sums{done.loss};
    sums.insert(sums.end(), done.observed.begin(), done.observed.end());
    result.sums.push_back(sums);
  }
  parallelism.visit(trainable_parameters(*model), [&](const torch::Tensor& parameter) {
    result.parameters.push_back(parameter.detach().clone());
  });
  return result;
}

TEST(MethodRanks, RanksThatDivideTheRowsAreOneRankWithAllOfThem) {
  const std::unique_ptr<device::Device> host = device::make_host_device();
  const std::unique_ptr<collective::Communicator> comm =
      collective::make_mpi_communicator(test::world(), *host);
  const torch_support::ProcessGroupPtr group = torch_support::make_mpi_process_group(*comm);
  struct CopyPath {
    Method method;
    bool fused;
    double clip;
    bool sharded = false;
  };
  for (const CopyPath& way :
       {CopyPath{Method::qlora, false, 0}, CopyPath{Method::qlora, true, 0.5},
        CopyPath{Method::dpo, false, 0.5}, CopyPath{Method::dpo, true, 0},
        CopyPath{Method::dpo_full, false, 0}, CopyPath{Method::dpo_full, true, 0.5},
        CopyPath{Method::qlora, true, 0.5, true}, CopyPath{Method::dpo, false, 0.5, true},
        CopyPath{Method::dpo_full, false, 0, true}, CopyPath{Method::dpo_full, true, 0.5, true}}) {
    SCOPED_TRACE(method_names()[static_cast<std::size_t>(way.method)] +
                 (way.fused ? " fused" : "") + (way.sharded ? " sharded" : ""));
    const auto one = make_single(), all = way.sharded ? make_fsdp(group, {}) : make_ddp(group);
    const Trained alone =
        train(way.method, kBatch * test::world().size(), way.fused, way.clip, *one, false);
    const Trained together = train(way.method, kBatch, way.fused, way.clip, *all, true);
    for (std::size_t i = 0; i < alone.parameters.size(); ++i) {
      ASSERT_LT((alone.parameters[i] - together.parameters[i]).abs().max().item<double>(), 1e-9);
    }
    EXPECT_TRUE(torch_support::equal_on_all_ranks(test::world(),
                                                  torch_support::fingerprint(together.parameters)));
    for (std::size_t step = 0; step < alone.norms.size(); ++step) {
      EXPECT_NEAR(together.norms[step], alone.norms[step], 1e-9 * alone.norms[step]);
      for (std::size_t i = 0; i < alone.sums[step].size(); ++i) {
        const double sum = torch_support::sum_over_ranks(test::world(), together.sums[step][i]);
        EXPECT_NEAR(sum, alone.sums[step][i], 1e-9 * std::max(1.0, std::abs(sum)));
      }
    }
    EXPECT_GT(std::abs(alone.sums[2][0] - alone.sums[0][0]), 1e-3) << "it trains";
  }
}

}  // namespace
}  // namespace scalemark::llm
