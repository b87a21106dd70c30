// SPDX-License-Identifier: Apache-2.0
// DPO on hand-worked numbers, huge margins, and a small model with adapters.
#include "suites/llm/train/dpo.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/utils.h>

#include "common/base/error.hpp"
#include "suites/llm/model/loss.hpp"
#include "suites/llm/optim/adamw.hpp"
#include "tests/suites/llm/small_config.hpp"
#include "tests/suites/llm/tensor_options.hpp"

namespace scalemark::llm {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

torch::Tensor row(std::initializer_list<double> values) {
  return torch::tensor(std::vector<double>(values), torch::kFloat64);
}

double softplus(double x) { return std::log1p(std::exp(x)); }

TEST(DpoLoss, ByHand) {
  // h = (-1 - -4) - (-2 - -3) = 2.
  const DpoLoss got = dpo_loss({row({-1}), row({-4})}, {row({-2}), row({-3})},
                               {.beta = 0.5, .label_smoothing = 0.25});
  EXPECT_NEAR(got.losses.item<double>(), 0.75 * softplus(-1) + 0.25 * softplus(1), 1e-15);
  EXPECT_DOUBLE_EQ(got.chosen_rewards.item<double>(), 0.5);
  EXPECT_DOUBLE_EQ(got.rejected_rewards.item<double>(), -0.5);
  EXPECT_EQ(got.accuracy(), 1);
  EXPECT_DOUBLE_EQ(got.margin(), 1);
}

TEST(DpoLoss, EqualRewardsAreNoSuccess) {
  const DpoLoss got =
      dpo_loss({row({-5, -1, -1}), row({-5, -2, -2})}, {row({-5, -1, -2}), row({-5, -2, -2})}, {});
  EXPECT_NEAR(got.losses[0].item<double>(), std::log(2.0), 1e-15);
  EXPECT_NEAR(got.losses[1].item<double>(), std::log(2.0), 1e-15);
  EXPECT_DOUBLE_EQ(got.accuracy(), 1.0 / 3);
}

TEST(DpoLoss, HugeMarginsOfBothSigns) {
  for (const torch::ScalarType type : {torch::kFloat64, torch::kFloat32}) {
    const torch::Tensor zero = torch::zeros({3}, type);
    const torch::Tensor chosen = row({1e6, -1e6, 0}).to(type).requires_grad_();
    const DpoLoss got = dpo_loss({chosen, zero}, {zero, zero}, {.beta = 0.1});
    got.losses.sum().backward();
    EXPECT_NEAR(got.losses[0].item<double>(), 0, 1e-30);
    EXPECT_NEAR(got.losses[1].item<double>(), 1e5, 0.01);
    EXPECT_NEAR(chosen.grad()[0].item<double>(), 0, 1e-30);
    EXPECT_NEAR(chosen.grad()[1].item<double>(), -0.1, 1e-7);
    EXPECT_NEAR(chosen.grad()[2].item<double>(), -0.05, 1e-7);
  }
}

TEST(DpoLoss, GradientsAreTheFiniteDifferences) {
  torch::manual_seed(1);
  const LogProbabilities reference{torch::randn({4}, kDouble), torch::randn({4}, kDouble)};
  const DpoOptions options{.beta = 0.7, .label_smoothing = 0.1};
  const torch::Tensor chosen = torch::randn({4}, kDouble).requires_grad_(),
                      rejected = torch::randn({4}, kDouble).requires_grad_();
  const auto loss = [&](double dc, double dr) {
    return dpo_loss({chosen + dc, rejected + dr}, reference, options).losses.sum();
  };
  loss(0, 0).backward();
  const double step = 1e-5;
  EXPECT_NEAR(chosen.grad().sum().item<double>(),
              (loss(step, 0) - loss(-step, 0)).item<double>() / (2 * step), 1e-8);
  EXPECT_NEAR(rejected.grad().sum().item<double>(),
              (loss(0, step) - loss(0, -step)).item<double>() / (2 * step), 1e-8);
}

/// Two pairs of different widths, the first two tokens of each are the prompt.
DpoBatch small_batch() {
  const torch::Tensor chosen = torch::randint(1, 32, {2, 6}, torch::kInt64),
                      rejected = torch::randint(1, 32, {2, 9}, torch::kInt64);
  torch::Tensor chosen_labels = chosen.clone(), rejected_labels = rejected.clone();
  chosen_labels.slice(1, 0, 2).fill_(kMasked);
  rejected_labels.slice(1, 0, 2).fill_(kMasked);
  return make_dpo_batch(chosen, chosen_labels, rejected, rejected_labels, 0);
}

TEST(DpoBatch, PadsToTheWiderAndMasksThere) {
  const DpoBatch batch =
      make_dpo_batch(torch::tensor({{5, 6}}), torch::tensor({{-100, 6}}),
                     torch::tensor({{5, 7, 8, 9}}), torch::tensor({{-100, 7, 8, 9}}), 31);
  EXPECT_TRUE(torch::equal(batch.tokens_bs, torch::tensor({{5, 6, 31, 31}, {5, 7, 8, 9}})));
  EXPECT_TRUE(
      torch::equal(batch.shifted_bs, torch::tensor({{6, -100, -100, -100}, {7, 8, 9, -100}})));
  const torch::Tensor one = torch::ones({1, 2}, torch::kInt64);
  const torch::Tensor two = torch::ones({2, 2}, torch::kInt64);
  EXPECT_THAT([&] { make_dpo_batch(one, one, two, two, 0); },
              ThrowsMessage<Error>(HasSubstr("1 chosen and 2 rejected")));
}

TEST(Dpo, OneForwardEqualsTheAnswersAlone) {
  const torch::NoGradGuard no_grad;
  torch::manual_seed(2);
  Llama model(small_config(), kDouble);
  const DpoBatch batch = small_batch();
  const LogProbabilities got = dpo_log_probabilities(model, batch);
  // The chosen answers are six tokens long; what stands behind them is padding.
  const torch::Tensor alone =
      sequence_log_probability(model(batch.tokens_bs.narrow(0, 0, 2).narrow(1, 0, 6)),
                               batch.shifted_bs.narrow(0, 0, 2).narrow(1, 0, 6));
  EXPECT_LT((got.chosen - alone).abs().max().item<double>(), 1e-12);
  EXPECT_EQ(got.rejected.numel(), 2);
}

TEST(Dpo, BeginsAtLogTwoAndLearnsThePreference) {
  torch::manual_seed(3);
  Llama model(small_config(), kDouble);
  add_lora(*model, {});
  const DpoBatch batch = small_batch();
  AdamW optimizer(trainable_parameters(*model), {.learning_rate = 0.01});
  const LogProbabilities reference = dpo_reference(model, batch);
  EXPECT_FALSE(reference.chosen.requires_grad());
  std::vector<DpoLoss> seen;
  for (int step = 0; step < 4; ++step) {
    optimizer.zero_grad();
    seen.push_back(dpo_loss(dpo_log_probabilities(model, batch), reference, {}));
    seen.back().losses.mean().backward();
    optimizer.step();
  }
  EXPECT_NEAR(seen[0].losses.mean().item<double>(), std::log(2.0), 1e-15);
  EXPECT_EQ(seen[0].accuracy(), 0);
  EXPECT_LT(seen[3].losses.mean().item<double>(), seen[0].losses.mean().item<double>());
  EXPECT_EQ(seen[3].accuracy(), 1);
  // The adapters have moved, the reference has not.
  EXPECT_TRUE(torch::equal(dpo_reference(model, batch).chosen, reference.chosen));
}

}  // namespace
}  // namespace scalemark::llm
