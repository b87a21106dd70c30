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
#include "tests/suites/llm/small_rows.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::llm {
namespace {

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

TokenLoader make_loader(Method method, const TokenLoaderOptions& options) {
  std::vector<TokenRow> rows = small_rows();
  if (!compares_answers(method)) return {std::move(rows), options};
  std::vector<PreferenceTokens> pairs;
  for (std::size_t i = 0; i < rows.size(); ++i) pairs.push_back({rows[i], small_row(i + 3)});
  return {std::move(pairs), options};
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

struct MethodResult {
  std::vector<double> norms;
  std::vector<std::vector<double>> sums;  ///< loss and what is observed, over all ranks
  std::vector<torch::Tensor> parameters;
};

/// kSteps steps; `divided`: this rank has its part of each step's rows.
MethodResult train(Method method, std::int64_t batch, bool fused, double clip,
                   Parallelism& parallelism, bool divided) {
  TokenLoader loader = make_loader(method, {.batch = batch,
                                            .ranks = divided ? test::world().size() : 1,
                                            .rank = divided ? test::world().rank() : 0,
                                            .seed = 5,
                                            .padding = kPadding});
  const Llama model = make_model(method, parallelism);
  Finetuner finetuner(model, {.adamw = {.learning_rate = 1e-2}, .clip = clip}, parallelism,
                      make_objective(method, model, fused, &parallelism));
  MethodResult result;
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
  struct Variant {
    Method method;
    bool fused;
    double clip;
    bool sharded = false;
  };
  for (const Variant& variant :
       {Variant{Method::qlora, false, 0}, Variant{Method::qlora, true, 0.5},
        Variant{Method::dpo, false, 0.5}, Variant{Method::dpo, true, 0},
        Variant{Method::dpo_full, false, 0}, Variant{Method::dpo_full, true, 0.5},
        Variant{Method::qlora, true, 0.5, true}, Variant{Method::dpo, false, 0.5, true},
        Variant{Method::dpo_full, false, 0, true}, Variant{Method::dpo_full, true, 0.5, true}}) {
    SCOPED_TRACE(method_names()[static_cast<std::size_t>(variant.method)] +
                 (variant.fused ? " fused" : "") + (variant.sharded ? " sharded" : ""));
    const auto one = make_single(),
               all = variant.sharded ? make_fsdp(group, {}, torch::kCPU) : make_ddp(group);
    const MethodResult alone = train(variant.method, kRankBatch * test::world().size(),
                                     variant.fused, variant.clip, *one, false);
    const MethodResult together =
        train(variant.method, kRankBatch, variant.fused, variant.clip, *all, true);
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
