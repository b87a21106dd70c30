// SPDX-License-Identifier: Apache-2.0
// Methods of fine-tuning: what follows from how each is defined, by hand or by LibTorch's own.
#include "suites/llm/train/method.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/Context.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/utils.h>

#include "common/base/error.hpp"
#include "suites/llm/optim/gradient_norm.hpp"
#include "suites/llm/quant/qat.hpp"
#include "suites/llm/quant/qlora.hpp"
#include "suites/llm/train/memory.hpp"
#include "tests/suites/llm/follow.hpp"

namespace scalemark::llm {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Wide enough for groups of 256, and for whole blocks of NF4.
LlamaConfig wide_config() {
  return {.vocab_size = 64,
          .dim = 256,
          .layers = 1,
          .heads = 4,
          .kv_heads = 1,
          .ffn_dim = 256,
          .max_seq_len = 32};
}

Llama made(Method method, torch::ScalarType type = torch::kFloat32) {
  torch::manual_seed(3);
  return make_method_model(method, wide_config(), torch::TensorOptions(type));
}

/// Two pairs or four rows; the second answer is longer.
Examples some_examples() {
  torch::manual_seed(8);
  const torch::Tensor tokens = torch::randint(1, 60, {4, 12}, torch::kLong);
  torch::Tensor labels = tokens.clone();
  labels.slice(1, 0, 4).fill_(kMasked);
  labels.slice(0, 0, 2).slice(1, 9).fill_(kMasked);
  Examples examples = examples_of(tokens, shift_labels(labels));
  examples.pairs = 2;
  return examples;
}

TEST(Method, AllBeginWithTheSameBase) {
  const Llama full = made(Method::full);
  const auto parameters = full->named_parameters();
  for (const Method method : {Method::lora, Method::dpo, Method::dpo_full, Method::qat}) {
    const auto others = made(method)->named_parameters();
    for (const auto& parameter : parameters)
      EXPECT_TRUE(torch::equal(others[parameter.key()], parameter.value())) << parameter.key();
  }
  const Llama qlora = made(Method::qlora);
  EXPECT_TRUE(
      torch::equal(qlora->named_parameters()["output.weight"], parameters["output.weight"]));
  const std::string path = "layers.0.mlp.w2";
  EXPECT_TRUE(torch::equal(qlora->named_buffers()[path + ".base.packed"],
                           quantise_nf4(parameters[path + ".weight"]).packed));
  EXPECT_FALSE(qlora->named_parameters().contains("layers.0.attn.k_proj.weight"));
}

/// Of the generator that everything random on a CPU is drawn from.
torch::Tensor random_state() {
  return at::globalContext().defaultGenerator(torch::kCPU).get_state();
}

TEST(Method, WhatIsFilledIsNotDrawnAndAdaptersAreTheSame) {
  const auto base = made(Method::full)->named_parameters();
  std::size_t filled = 0;
  const auto fill = [&](torch::nn::Module& part, const std::string& prefix) {
    const torch::NoGradGuard no_grad;
    for (auto& item : part.named_parameters()) {
      item.value().copy_(base[prefix + item.key()]);
      ++filled;
    }
  };
  for (const Method method :
       {Method::lora, Method::qlora, Method::dpo, Method::dpo_full, Method::qat, Method::full}) {
    SCOPED_TRACE(method_names()[static_cast<std::size_t>(method)]);
    filled = 0;
    torch::manual_seed(3);
    const torch::Tensor before = random_state();
    const Llama read =
        make_method_model(method, wide_config(), torch::TensorOptions(torch::kFloat32), {}, fill);
    EXPECT_EQ(filled, base.size());
    if (!trains_adapters(method)) {
      EXPECT_TRUE(torch::equal(random_state(), before));
    }
    const auto want = made(method)->named_parameters(), got = read->named_parameters();
    ASSERT_EQ(got.size(), want.size());
    for (const auto& item : want)
      EXPECT_TRUE(torch::equal(got[item.key()], item.value())) << item.key();
  }
}

TEST(Method, AFrozenCopyIsNotDrawn) {
  const Llama model = made(Method::full);
  const torch::Tensor before = random_state();
  const Llama copy = frozen_copy(model);
  EXPECT_TRUE(torch::equal(random_state(), before));
  for (const auto& item : model->named_parameters())
    EXPECT_TRUE(torch::equal(copy->named_parameters()[item.key()], item.value())) << item.key();
}

TEST(Method, QatWithFakeQuantisationOffIsFullBitForBit) {
  for (const bool fused : {false, true}) {
    Llama off = made(Method::qat);
    switch_fake_quant(*off, false);
    const auto train = [&](const Llama& model) {
      return follow(model, some_examples(), {.adamw = {.learning_rate = 1e-3}}, 3,
                    make_objective(Method::qat, model, fused));
    };
    const Followed without = train(off), on = train(made(Method::qat)),
                   full = follow(made(Method::full), some_examples(),
                                 {.adamw = {.learning_rate = 1e-3}}, 3, language_modelling(fused));
    EXPECT_EQ(without.losses, full.losses);
    EXPECT_EQ(without.norms, full.norms);
    for (std::size_t i = 0; i < full.parameters.size(); ++i)
      EXPECT_TRUE(torch::equal(without.parameters[i], full.parameters[i]));
    EXPECT_NE(on.losses, full.losses);
  }
}

/// log p of each row's labels, by hand from the logits.
Values log_probabilities(Llama model, const Examples& examples) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor all = torch::log_softmax(model(examples.tokens_bs), -1);
  Values sums;
  for (std::int64_t row = 0; row < all.size(0); ++row) {
    double sum = 0;
    for (std::int64_t place = 0; place < all.size(1); ++place) {
      const auto label = examples.shifted_bs[row][place].item<std::int64_t>();
      if (label != kMasked) sum += all[row][place][label].item<double>();
    }
    sums.push_back(sum);
  }
  return sums;
}

TEST(Preference, RewardsAndAccuracyByHand) {
  const Examples examples = some_examples();
  const Values base = log_probabilities(made(Method::full, torch::kDouble), examples);
  for (const Method method : {Method::dpo, Method::dpo_full}) {
    for (const bool fused : {false, true}) {
      Llama model = made(method, torch::kDouble);
      std::unique_ptr<Objective> objective = make_objective(method, model, fused);
      const Objective::Sums start = objective->sums(model, examples);
      EXPECT_NEAR(start.loss.item<double>(), 2 * std::log(2.0), 1e-15);
      EXPECT_EQ(start.observed[3].item<double>(), 0) << "equal rewards are no success";
      {
        const torch::NoGradGuard no_grad;
        for (const torch::Tensor& parameter : trainable_parameters(*model))
          parameter.add_(torch::randn_like(parameter), 0.05);
      }
      const Values now = log_probabilities(model, examples);
      const double beta = method == Method::dpo ? 0.1 : 0.05;
      Values want{0, 0, 0, 0};
      double loss = 0;
      for (std::size_t i = 0; i < 2; ++i) {
        const double chosen = beta * (now[i] - base[i]),
                     rejected = beta * (now[2 + i] - base[2 + i]);
        want[0] += chosen;
        want[1] += rejected;
        want[2] += chosen - rejected;
        want[3] += chosen > rejected ? 1 : 0;
        loss += std::log1p(std::exp(rejected - chosen));
      }
      const Objective::Sums got = objective->sums(model, examples);
      EXPECT_NEAR(got.loss.item<double>(), loss, 1e-12);
      EXPECT_GT(std::abs(loss - 2 * std::log(2.0)), 1e-3);
      for (std::size_t i = 0; i < want.size(); ++i)
        EXPECT_NEAR(got.observed[static_cast<std::int64_t>(i)].item<double>(), want[i], 1e-12);
      EXPECT_FALSE(got.observed.requires_grad());
    }
  }
}

TEST(Preference, FusedOrNotTrainsAlike) {
  for (const Method method : {Method::dpo, Method::dpo_full}) {
    const auto train = [&](bool fused) {
      Llama model = made(method, torch::kDouble);
      return follow(model, some_examples(), {.adamw = {.learning_rate = 1e-2}}, 3,
                    make_objective(method, model, fused));
    };
    const Followed plain = train(false), fused = train(true);
    expect_near(fused.losses, plain.losses, 1e-11, "losses");
    EXPECT_LT(plain.losses[2], plain.losses[0] - 1e-3) << "it learns";
    for (std::size_t i = 0; i < plain.parameters.size(); ++i)
      EXPECT_LT((fused.parameters[i] - plain.parameters[i]).abs().max().item<double>(), 1e-9);
  }
}

TEST(Preference, WantsPairs) {
  Llama model = made(Method::dpo);
  Examples rows = some_examples();
  rows.pairs = 0;
  EXPECT_THAT([&] { make_objective(Method::dpo, model, false)->sums(model, rows); },
              ThrowsMessage<Error>(HasSubstr("pairs of answers")));
}

TEST(TokenLoader, ABatchOfPairsIsChosenThenRejectedRowsPaddedToTheLongest) {
  const auto row = [](std::vector<Token> ids) {
    TokenRow made{ids, ids, false};
    made.labels[0] = kIgnoredLabel;
    return made;
  };
  TokenLoader loader(std::vector<PreferenceTokens>{{row({1, 2}), row({1, 3, 4, 5})},
                                                   {row({6, 7, 8}), row({6, 9})}},
                     {.batch = 2, .padding = 60});
  EXPECT_EQ(loader.batches(), 1);
  loader.start(0);
  const Examples got = loader.next();
  EXPECT_EQ(got.pairs, 2);
  const torch::Tensor first = torch::tensor(
                          {{1, 2, 60, 60}, {6, 7, 8, 60}, {1, 3, 4, 5}, {6, 9, 60, 60}}),
                      other = first.index_select(0, torch::tensor({1, 0, 3, 2}));
  EXPECT_TRUE(torch::equal(got.tokens_bs, first) || torch::equal(got.tokens_bs, other))
      << got.tokens_bs;
  EXPECT_EQ(got.positions, 16);
  EXPECT_EQ(got.tokens, 11);
  EXPECT_EQ(got.labels, 7) << "all but the first token of each row";
}

std::vector<torch::Tensor> parameters_with_gradients() {
  torch::manual_seed(6);
  std::vector<torch::Tensor> parameters;
  for (const std::int64_t size : {3, 50, 1}) {
    parameters.push_back(torch::zeros({size}, torch::kDouble).requires_grad_());
    parameters.back().mutable_grad() = torch::randn({size}, torch::kDouble);
  }
  return parameters;
}

TEST(Clipping, IsClipGradNorm) {
  for (const double most : {0.01, 1.0, 7.3, 1e6}) {
    const auto ours = parameters_with_gradients(), theirs = parameters_with_gradients();
    const torch::Tensor norm = gradient_norm(ours);
    clip_gradients(ours, norm, most);
    EXPECT_NEAR(norm.item<double>(), torch::nn::utils::clip_grad_norm_(theirs, most), 1e-14);
    for (std::size_t i = 0; i < ours.size(); ++i)
      EXPECT_TRUE(torch::allclose(ours[i].grad(), theirs[i].grad(), 1e-14, 0)) << most;
  }
}

TEST(Clipping, AStepClipsButTellsTheNormBefore) {
  const Examples examples = some_examples();
  const AdamWOptions adamw{.learning_rate = 1e-2, .eps = 1e-2};  // not blind to the gradient's size
  const double most = 0.3;
  Llama model = made(Method::lora, torch::kDouble);
  const auto parameters = trainable_parameters(*model);
  AdamW optimiser(parameters, adamw);
  Values norms;
  for (int i = 0; i < 3; ++i) {
    optimiser.zero_grad();
    loss_mean(model(examples.tokens_bs), examples.shifted_bs).backward();
    norms.push_back(torch::nn::utils::clip_grad_norm_(parameters, most));
    optimiser.step();
  }
  EXPECT_GT(norms[0], 2 * most);
  const auto train = [&](double clip) {
    return follow(made(Method::lora, torch::kDouble), examples, {.adamw = adamw, .clip = clip}, 3,
                  language_modelling(false));
  };
  const Followed clipped = train(most), loose = train(1e6), off = train(0);
  expect_near(clipped.norms, norms, 1e-10, "norms");
  const auto difference = [&](const std::vector<torch::Tensor>& others) {
    double largest = 0;
    for (std::size_t i = 0; i < parameters.size(); ++i)
      largest = std::max(largest, (others[i] - parameters[i]).abs().max().item<double>());
    return largest;
  };
  EXPECT_LT(difference(clipped.parameters), 1e-10);
  EXPECT_GT(difference(off.parameters), 1e-4);
  EXPECT_EQ(loose.losses, off.losses);
}

TEST(ScaledGradients, AreThoseOfTheMean) {
  const Examples examples = some_examples();
  const auto train = [&](bool scale) {
    return follow(made(Method::lora, torch::kDouble), examples,
                  {.adamw = {.learning_rate = 1e-2, .eps = 1e-2}, .scale_gradients = scale}, 3,
                  language_modelling(false));
  };
  const Followed after = train(true), before = train(false);
  expect_near(after.norms, before.norms, 1e-12, "norms");
  expect_near(after.losses, before.losses, 1e-12, "losses");
}

TEST(Method, FlopsByHand) {
  const LlamaConfig config = llama_config("8b");
  const double products = 6'979'321'856.0 + 525'336'576.0, adapters = 19'660'800.0;
  const double attention = 32 * 4096.0 * 512;
  const auto flops = [&](Method method) { return method_flops(method, config, 512); };
  EXPECT_DOUBLE_EQ(flops(Method::lora), 4 * products + 6 * adapters + 12 * attention);
  EXPECT_DOUBLE_EQ(flops(Method::qlora), flops(Method::lora));
  EXPECT_DOUBLE_EQ(flops(Method::full), 6 * products + 12 * attention);
  EXPECT_DOUBLE_EQ(flops(Method::qat), flops(Method::full));
  EXPECT_DOUBLE_EQ(flops(Method::dpo), 6 * products + 6 * adapters + 16 * attention);
  EXPECT_DOUBLE_EQ(flops(Method::dpo_full), 8 * products + 16 * attention);
}

TEST(Method, NamesGoThereAndBack) {
  for (std::size_t i = 0; i < method_names().size(); ++i)
    EXPECT_EQ(parse_method(method_names()[i]), static_cast<Method>(i));
  EXPECT_THAT([] { parse_method("qlore"); }, ThrowsMessage<UsageError>(HasSubstr("qlora")));
}

/// 3.35 GiB of NF4 and 1.96 (bf16) or 3.92 (fp32) of the rest.
TEST(Method, MemoryOfWeightsByHand) {
  const auto gib = [](MemoryRequest request) {
    const auto adapters =
        request.lora ? static_cast<std::uint64_t>(19'660'800 * request.element_bytes) : 0;
    return static_cast<double>(predict_memory(request).weights - adapters) / (1 << 30);
  };
  const LlamaConfig config = llama_config("8b");
  EXPECT_NEAR(gib({.config = config, .nf4 = true, .element_bytes = 2}), 5.31, 0.01);
  EXPECT_NEAR(gib({.config = config, .nf4 = true, .element_bytes = 4}), 7.27, 0.01);
  EXPECT_NEAR(gib({.config = config, .lora = false, .reference = true, .element_bytes = 4}),
              2 * 8'030'261'248.0 * 4 / (1 << 30), 0.01);
}

/// As in Fig. 16 of the study: QAT of 8B in fp32 fits into four GPUs with 95,830 MiB, not into
/// three or two; rows of Instruct and Summary have 119 and 167 tokens in the mean.
TEST(Method, QatOfTheStudyFitsIntoFourGpusOnly) {
  MemoryRequest request{
      .config = llama_config("8b"), .lora = false, .fake_quant = true, .batch = 2};
  constexpr double kGpu = 95'830.0 * (1 << 20);
  for (const std::int64_t width : {119, 167}) {
    request.width = width;
    for (const std::int64_t ranks : {2, 3, 4}) {
      request.sharding = MemorySharding{.ranks = ranks};
      const auto needed = static_cast<double>(predict_memory(request).total());
      EXPECT_EQ(needed < kGpu, ranks == 4) << width << " tokens on " << ranks << ": " << needed;
    }
  }
}

/// What LibTorch 2.11 allocated at the peak on an H200 (results/h200/8b-*.h5, and runs
/// of model tiny with 2 rows of 64 tokens).
TEST(Method, MemoryOnAGpuIsTheMeasuredOne) {
  const auto near = [](const char* model, MemoryRequest request, double measured,
                       double tolerance) {
    request.config = llama_config(model);
    request.cuda = true;
    EXPECT_NEAR(static_cast<double>(predict_memory(request).total()) / measured, 1, tolerance);
  };
  near("tiny", {.batch = 2, .width = 64}, 102'852'096, 0.01);
  near("tiny", {.nf4 = true, .batch = 2, .width = 64}, 93'081'088, 0.01);
  near("tiny", {.pairs = true, .batch = 4, .width = 64}, 121'449'984, 0.01);
  near("tiny", {.lora = false, .fake_quant = true, .batch = 2, .width = 64}, 203'208'704, 0.04);
  near("8b", {.batch = 2, .width = 846}, 53'727'494'656, 0.01);
  near("8b",
       {.packed = true,
        .gradients_stay = true,
        .element_bytes = 2,
        .batch = 1,
        .width = 4096,
        .fused_loss = true,
        .fused = true},
       34'907'062'784, 0.01);
}

/// Paper mode needs what torchtune 0.5.0 with torchao 0.7.0 needs: MB at the peak of a step of
/// model 110m, 2 rows or pairs of 64 tokens, fp32 (tests/peers/torchtune_steps.py --memory).
TEST(Method, MemoryOfPaperModeIsTorchtunes) {
  const auto near = [](MemoryRequest request, double measured) {
    request.config = llama_config("110m");
    request.width = 64;
    EXPECT_NEAR(static_cast<double>(predict_memory(request).total()) / 1e6, measured,
                0.1 * measured);
  };
  near({.batch = 2}, 634.4);
  near({.lora = false, .batch = 2}, 1995.1);
  near({.nf4 = true, .batch = 2}, 371.3);
  near({.pairs = true, .batch = 4}, 819.6);
  near({.lora = false, .fake_quant = true, .batch = 2}, 3221.5);
}

}  // namespace
}  // namespace scalemark::llm
