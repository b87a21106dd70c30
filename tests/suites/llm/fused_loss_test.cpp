// SPDX-License-Identifier: Apache-2.0
// The fused losses and checkpointed layers against what autograd makes of the plain ones.
#include "suites/llm/model/fused_loss.hpp"

#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/utils.h>

#include "suites/llm/model/checkpoint.hpp"
#include "suites/llm/model/fused_log_probability.hpp"
#include "suites/llm/model/llama.hpp"
#include "suites/llm/model/loss.hpp"
#include "tests/suites/llm/small_config.hpp"

namespace scalemark::llm {
namespace {

constexpr std::int64_t kBatch = 2, kSequence = 7, kDim = 5, kVocabulary = 11;

struct Inputs {
  torch::Tensor hidden, weight, labels;
};

Inputs inputs(torch::ScalarType type) {
  torch::manual_seed(3);
  Inputs made{torch::randn({kBatch, kSequence, kDim}, type).requires_grad_(),
              torch::randn({kVocabulary, kDim}, type).requires_grad_(),
              torch::randint(kVocabulary, {kBatch, kSequence}, torch::kLong)};
  made.labels[0].slice(0, 0, 4).fill_(kMasked);
  made.labels[1][6].fill_(kMasked);
  return made;
}

TEST(FusedLoss, EqualsHeadAndCrossEntropyWithBothGradients) {
  for (const std::int64_t rows : {1, 3, 256}) {
    Inputs plain = inputs(torch::kDouble), fused = inputs(torch::kDouble);
    const torch::Tensor want = loss_sum(torch::linear(plain.hidden, plain.weight), plain.labels);
    const torch::Tensor got = fused_loss_sum(fused.hidden, fused.weight, fused.labels, rows);
    EXPECT_NEAR(got.item<double>(), want.item<double>(), 1e-12) << rows;
    (want * 0.3).backward();
    (got * 0.3).backward();
    EXPECT_LT((fused.hidden.grad() - plain.hidden.grad()).abs().max().item<double>(), 1e-13);
    EXPECT_LT((fused.weight.grad() - plain.weight.grad()).abs().max().item<double>(), 1e-13);
  }
}

TEST(FusedLoss, AFrozenHeadGetsNoGradient) {
  Inputs given = inputs(torch::kDouble);
  given.weight.requires_grad_(false);
  fused_loss_sum(given.hidden, given.weight, given.labels).backward();
  EXPECT_TRUE(given.hidden.grad().defined());
  EXPECT_FALSE(given.weight.grad().defined());
}

TEST(FusedLoss, MaskedRowsHaveNoGradientAndAllMaskedIsZero) {
  Inputs given = inputs(torch::kFloat);
  fused_loss_sum(given.hidden, given.weight, given.labels).backward();
  EXPECT_EQ(given.hidden.grad()[0].slice(0, 0, 4).abs().sum().item<float>(), 0);
  EXPECT_GT(given.hidden.grad()[0].slice(0, 4).abs().min().item<float>(), 0);
  Inputs masked = inputs(torch::kFloat);
  masked.labels.fill_(kMasked);
  const torch::Tensor loss = fused_loss_sum(masked.hidden, masked.weight, masked.labels);
  loss.backward();
  EXPECT_EQ(loss.item<float>(), 0);
  EXPECT_EQ(masked.hidden.grad().abs().sum().item<float>(), 0);
  EXPECT_EQ(masked.weight.grad().abs().sum().item<float>(), 0);
}

TEST(FusedLoss, SixteenBitLogitsAreSummedInFp32) {
  Inputs wide = inputs(torch::kFloat);
  const torch::Tensor hidden = wide.hidden.detach().to(torch::kBFloat16),
                      weight = wide.weight.detach().to(torch::kBFloat16);
  const torch::Tensor got = fused_loss_sum(hidden, weight, wide.labels);
  EXPECT_EQ(got.scalar_type(), torch::kFloat);
  const double want = loss_sum(torch::linear(hidden, weight), wide.labels).item<double>();
  EXPECT_NEAR(got.item<double>(), want, 1e-5 * want);
}

TEST(FusedLogProbability, EqualsHeadAndLogSoftmaxWithBothGradients) {
  const torch::Tensor share = torch::tensor({0.3, -0.7}, torch::kDouble);  // of the rows
  for (const bool frozen : {false, true}) {
    for (const std::int64_t rows : {1, 3, 256}) {
      Inputs plain = inputs(torch::kDouble), fused = inputs(torch::kDouble);
      for (Inputs* given : {&plain, &fused}) {
        given->weight.requires_grad_(!frozen);
        given->labels.select(1, -1).fill_(kMasked);
      }
      const torch::Tensor want =
          sequence_log_probability(torch::linear(plain.hidden, plain.weight), plain.labels);
      const torch::Tensor got =
          fused_log_probability(fused.hidden, fused.weight, fused.labels, rows);
      EXPECT_LT((got - want).abs().max().item<double>(), 1e-12) << rows;
      (want * share).sum().backward();
      (got * share).sum().backward();
      EXPECT_LT((fused.hidden.grad() - plain.hidden.grad()).abs().max().item<double>(), 1e-13);
      EXPECT_EQ(fused.weight.grad().defined(), !frozen);
      if (!frozen) {
        EXPECT_LT((fused.weight.grad() - plain.weight.grad()).abs().max().item<double>(), 1e-13);
      }
      const torch::NoGradGuard no_grad;
      EXPECT_TRUE(
          torch::equal(fused_log_probability(fused.hidden, fused.weight, fused.labels, rows), got));
    }
  }
}

TEST(FusedLogProbability, ARowWithoutLabelsIsZeroWithoutGradient) {
  for (const bool frozen : {false, true}) {
    Inputs given = inputs(torch::kFloat);
    given.weight.requires_grad_(!frozen);
    given.labels.fill_(kMasked);
    const torch::Tensor got = fused_log_probability(given.hidden, given.weight, given.labels);
    EXPECT_EQ(got.abs().sum().item<float>(), 0);
    got.sum().backward();
    EXPECT_EQ(given.hidden.grad().abs().sum().item<float>(), 0);
    if (!frozen) {
      EXPECT_EQ(given.weight.grad().abs().sum().item<float>(), 0);
    }
  }
}

/// Losses and gradients of a small model, with and without checkpoints.
struct Pass {
  double loss = 0;
  std::vector<torch::Tensor> gradients;
};

Pass pass(bool checkpoints, bool lora) {
  torch::manual_seed(5);
  Llama model(medium_config(), torch::TensorOptions(torch::kDouble));
  if (lora) add_lora(*model, {});
  model->checkpoint_layers(checkpoints);
  const torch::Tensor tokens = torch::randint(64, {2, 9}, torch::kLong);
  const torch::Tensor loss = loss_mean(model(tokens), shift_labels(tokens));
  loss.backward();
  Pass result{loss.item<double>(), {}};
  for (const torch::Tensor& parameter : trainable_parameters(*model))
    result.gradients.push_back(parameter.grad().clone());
  return result;
}

TEST(Checkpoint, GivesTheSameLossAndGradients) {
  for (const bool lora : {false, true}) {
    const Pass plain = pass(false, lora), kept = pass(true, lora);
    EXPECT_EQ(kept.loss, plain.loss);
    ASSERT_EQ(kept.gradients.size(), plain.gradients.size());
    for (std::size_t i = 0; i < plain.gradients.size(); ++i)
      EXPECT_TRUE(torch::equal(kept.gradients[i], plain.gradients[i])) << i << " lora " << lora;
  }
}

TEST(Checkpoint, CallsTheLayerAgainInTheBackwardPass) {
  int calls = 0;
  torch::Tensor scale = torch::full({}, 3.0, torch::kDouble).requires_grad_();
  const torch::Tensor x = torch::ones({4}, torch::kDouble);
  const torch::Tensor y = checkpointed(
      [&](const torch::Tensor& in) {
        ++calls;
        return in * in * scale;
      },
      x);
  EXPECT_EQ(calls, 1);
  y.sum().backward();
  EXPECT_EQ(calls, 2);
  EXPECT_DOUBLE_EQ(scale.grad().item<double>(), 4);
}

}  // namespace
}  // namespace scalemark::llm
