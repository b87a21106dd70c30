// SPDX-License-Identifier: Apache-2.0
// Fake quantisation against a reference of single numbers and a naive composition, and QAT models.
#include "suites/llm/quant/qat.hpp"

#include <array>
#include <cmath>
#include <limits>

#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/utils.h>

#include "common/base/error.hpp"
#include "common/torch/cpu_memory.hpp"
#include "suites/llm/model/llama.hpp"
#include "suites/llm/model/loss.hpp"
#include "suites/llm/train/objective.hpp"
#include "tests/suites/llm/tensor_options.hpp"

namespace scalemark::llm {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Rounded to T and back.
template <typename T>
float in(float value) {
  return static_cast<float>(static_cast<T>(value));
}

template <typename T>
struct FakeQuantReference {
  std::vector<T> values;
  std::vector<bool> inside;

  void weights(const T* w, std::int64_t size, float floor) {
    float largest = 0;
    for (std::int64_t i = 0; i < size; ++i)
      largest = std::max(largest, std::abs(static_cast<float>(w[i])));
    const float scale = std::max(in<T>(largest / 7.5F), floor);
    for (std::int64_t i = 0; i < size; ++i) add(static_cast<float>(w[i]), scale, 0, -8, 7);
  }
  void token(const T* x, std::int64_t size) {
    float least = 0, most = 0;
    for (std::int64_t i = 0; i < size; ++i) {
      least = std::min(least, static_cast<float>(x[i]));
      most = std::max(most, static_cast<float>(x[i]));
    }
    const float scale = std::max(in<T>(in<T>(most - least) / 255), 0x1p-23F);
    const float zero_point =
        std::clamp(-128 - std::nearbyint(in<T>(least / scale)), -128.0F, 127.0F);
    for (std::int64_t i = 0; i < size; ++i)
      add(static_cast<float>(x[i]), scale, zero_point, -128, 127);
  }

 private:
  void add(float v, float scale, float zero_point, float least, float most) {
    // volatile: rounded to fp32 before the code is, whatever the compiler would like to fuse.
    const volatile float scaled = v * (1 / scale);
    const float code = std::nearbyint(scaled) + zero_point;
    inside.push_back(code >= least && code <= most);
    const volatile float value = (std::clamp(code, least, most) - zero_point) * scale;
    values.push_back(static_cast<T>(value));
  }
};

template <typename T>
void expect_values(const torch::Tensor& got, const FakeQuantReference<T>& want) {
  ASSERT_EQ(static_cast<std::size_t>(got.numel()), want.values.size());
  std::size_t different = 0;
  for (std::size_t i = 0; i < want.values.size(); ++i) {
    if (got.const_data_ptr<T>()[i] != want.values[i]) ++different;
  }
  EXPECT_EQ(different, 0U);
}

std::size_t count_clipped(const std::vector<bool>& inside) {
  return static_cast<std::size_t>(std::ranges::count(inside, false));
}

template <typename T>
void expect_weights(torch::ScalarType type, const FakeQuantOptions& options, float floor) {
  torch::manual_seed(2);
  torch::Tensor weight = torch::randn({48, 256}) * torch::rand({48, 1}) * 0.2;
  weight[3].zero_();
  weight[4].fill_(1);
  weight = weight.to(type);
  FakeQuantReference<T> want;
  for (std::int64_t i = 0; i < weight.numel(); i += options.group)
    want.weights(weight.const_data_ptr<T>() + i, options.group, floor);
  expect_values(fake_quantise_weight(weight, options), want);
  const FakeQuantised details = examine_weight(weight, options);
  EXPECT_TRUE(torch::equal(fake_quantise_weight(weight, options), details.values));
  EXPECT_EQ(static_cast<std::size_t>((~details.inside).sum().item<std::int64_t>()),
            count_clipped(want.inside));
  EXPECT_GT(count_clipped(want.inside), 10U) << "the largest weight of a group lies on the tie";
}

TEST(FakeQuant, WeightsAreTheReference) {
  expect_weights<float>(torch::kFloat32, {.group = 32}, 0x1p-23F);
  expect_weights<float>(torch::kFloat32, {.group = 256}, 0x1p-23F);
  expect_weights<c10::BFloat16>(torch::kBFloat16, {.group = 32}, 0x1p-7F);
  expect_weights<c10::BFloat16>(torch::kBFloat16, {.group = 64, .floor_of_type = false}, 0x1p-23F);
}

template <typename T>
void expect_tokens(torch::ScalarType type) {
  torch::manual_seed(4);
  torch::Tensor x = torch::randn({7, 5, 96}) + torch::randn({7, 5, 1});
  x[0][0].zero_();
  x[0][1].abs_();
  x[0][2] = -x[0][2].abs();
  x = x.to(type);
  FakeQuantReference<T> want;
  for (std::int64_t i = 0; i < x.numel(); i += 96) want.token(x.const_data_ptr<T>() + i, 96);
  expect_values(fake_quantise_tokens(x), want);
  const FakeQuantised details = examine_tokens(x);
  EXPECT_TRUE(torch::equal(fake_quantise_tokens(x), details.values));
  EXPECT_EQ(static_cast<std::size_t>((~details.inside).sum().item<std::int64_t>()),
            count_clipped(want.inside));
}

TEST(FakeQuant, TokensAreTheReference) {
  expect_tokens<float>(torch::kFloat32);
  expect_tokens<c10::BFloat16>(torch::kBFloat16);
}

TEST(FakeQuant, TheLargestWeightRoundsToTheEvenNeighbour) {
  // scale 0.5: 3.75 is on the tie 7.5 and goes to 8, which is clipped to 7; -3.75 goes to -8.
  const torch::Tensor up = torch::tensor({{3.75, -1.25, 0.0, 0.26}}, torch::kFloat32);
  const FakeQuantOptions options{.group = 4};
  EXPECT_TRUE(torch::equal(fake_quantise_weight(up, options),
                           torch::tensor({{3.5, -1.0, 0.0, 0.5}}, torch::kFloat32)));
  EXPECT_TRUE(torch::equal(fake_quantise_weight(-up, options),
                           torch::tensor({{-4.0, 1.0, 0.0, -0.5}}, torch::kFloat32)));
}

TEST(FakeQuant, NumbersThatAreNoneStayVisible) {
  torch::Tensor weight = torch::ones({2, 32}), x = torch::ones({2, 32});
  weight[0][5] = std::nan("");
  x[1][7] = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(fake_quantise_weight(weight, {.group = 32}).isfinite().all().item<bool>());
  EXPECT_FALSE(fake_quantise_tokens(x).isfinite().all().item<bool>());
  EXPECT_FALSE(examine_weight(weight, {.group = 32}).values.isfinite().all().item<bool>());
  EXPECT_FALSE(examine_tokens(x).values.isfinite().all().item<bool>());
}

/// y of the naive composition, with gradients by autograd: value = v + (fake - v) detached, where
/// the code was inside; a constant where it was clipped.
torch::Tensor straight_through(const torch::Tensor& v, const FakeQuantised& fake, bool clip) {
  const torch::Tensor pass = v + (fake.values - v).detach();
  return clip ? torch::where(fake.inside, pass, fake.values) : pass;
}

/// fake_quant_linear() taken apart.
torch::Tensor by_factors(const torch::Tensor& x, const torch::Tensor& weight,
                         const FakeQuantOptions& options) {
  return torch::linear(straight_through_tokens(x, options),
                       straight_through_weight(weight, options));
}

using Product = torch::Tensor (*)(const torch::Tensor& x, const torch::Tensor& weight,
                                  const FakeQuantOptions& options);

void expect_gradients(Product product, torch::ScalarType type, bool clip, double tolerance) {
  torch::manual_seed(6);
  const FakeQuantOptions options{.group = 32, .clip_gradient = clip};
  const auto leaf = [&](const std::vector<std::int64_t>& shape) {
    return torch::randn(shape).to(type).requires_grad_();
  };
  const torch::Tensor x = leaf({3, 4, 64}), weight = leaf({48, 64}),
                      dy = torch::randn({3, 4, 48}).to(type);
  const auto gradients = [&](const torch::Tensor& y) {
    for (const torch::Tensor& tensor : {x, weight}) tensor.mutable_grad().reset();
    y.backward(dy);
    return std::array{y.detach(), x.grad(), weight.grad()};
  };
  const auto got = gradients(product(x, weight, options));
  const auto want =
      gradients(torch::linear(straight_through(x, examine_tokens(x), clip),
                              straight_through(weight, examine_weight(weight, options), clip)));
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_LE(((got[i] - want[i]).norm() / want[i].norm()).item<double>(), tolerance) << i;
  const torch::Tensor masked = got[2] == 0;
  EXPECT_EQ(torch::equal(masked, ~examine_weight(weight, options).inside), clip);
}

TEST(FakeQuant, GradientsAreThoseOfTheComposition) {
  for (const Product product : {fake_quant_linear, fake_quant_linear_by_operators, by_factors}) {
    expect_gradients(product, torch::kFloat32, true, 1e-6);
    expect_gradients(product, torch::kFloat32, false, 1e-6);
    expect_gradients(product, torch::kBFloat16, true, 1e-2);
    expect_gradients(product, torch::kBFloat16, false, 1e-2);
  }
}

TEST(FakeQuant, ByOperatorsValuesAreEqualBitByBit) {
  torch::manual_seed(8);
  const FakeQuantOptions options{.group = 32};
  const torch::Tensor x = torch::randn({3, 4, 64}), weight = torch::randn({48, 64});
  EXPECT_TRUE(torch::equal(fake_quant_linear_by_operators(x, weight, options),
                           fake_quant_linear(x, weight, options)));
}

TEST(FakeQuant, GradientsOfOneInputAlone) {
  const torch::Tensor x = torch::randn({2, 32}), weight = torch::randn({8, 32});
  const torch::Tensor wanting = x.clone().requires_grad_(),
                      trained = weight.clone().requires_grad_();
  fake_quant_linear(wanting, weight, {.group = 32}).sum().backward();
  fake_quant_linear(x, trained, {.group = 32}).sum().backward();
  EXPECT_TRUE(wanting.grad().defined());
  EXPECT_TRUE(trained.grad().defined());
  EXPECT_TRUE(torch::equal(fake_quantise_weight(weight.t().contiguous().t(), {.group = 32}),
                           fake_quantise_weight(weight, {.group = 32})));
}

TEST(FakeQuant, DoesNotDependOnTheNumberOfThreads) {
  const torch::Tensor x = torch::randn({64, 1024}).requires_grad_(),
                      weight = torch::randn({512, 1024}).requires_grad_();
  const auto run = [&](int threads) {
    at::set_num_threads(threads);
    x.mutable_grad().reset();
    fake_quant_linear(x, weight, {.group = 256}).sum().backward();
    return std::array{fake_quantise_weight(weight, {.group = 256}), fake_quantise_tokens(x),
                      (x.grad() == 0).clone()};
  };
  const int before = at::get_num_threads();
  const auto one = run(1), three = run(3);
  at::set_num_threads(before);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(torch::equal(one[i], three[i])) << i;
}

TEST(FakeQuant, WhatItCannotTakeIsNamed) {
  const torch::Tensor weight = torch::ones({4, 96});
  EXPECT_THAT([&] { fake_quantise_weight(weight.to(torch::kFloat64), {.group = 32}); },
              ThrowsMessage<Error>(HasSubstr("not Double")));
  EXPECT_THAT([&] { fake_quantise_tokens(weight.to(torch::kFloat16)); },
              ThrowsMessage<Error>(HasSubstr("not Half")));
  EXPECT_THAT([&] { fake_quantise_weight(weight, {.group = 64}); },
              ThrowsMessage<Error>(HasSubstr("64 does not divide a width of 96")));
  EXPECT_THAT([&] { fake_quantise_weight(weight, {.group = 0}); },
              ThrowsMessage<Error>(HasSubstr("group of 0")));
}

LlamaConfig small_qat_config() {
  return {.vocab_size = 64,
          .dim = 64,
          .layers = 2,
          .heads = 4,
          .kv_heads = 2,
          .ffn_dim = 96,
          .max_seq_len = 16};
}

TEST(Qat, SwitchedOffIsThePlainModelBitByBit) {
  torch::manual_seed(8);
  Llama model(small_qat_config(), kFloat);
  const torch::Tensor tokens = torch::randint(64, {2, 9}, torch::kInt64);
  const auto run = [&] {
    for (torch::Tensor& parameter : model->parameters()) parameter.mutable_grad().reset();
    const torch::Tensor logits = model(tokens);
    loss_mean(logits, shift_labels(tokens)).backward();
    std::vector<torch::Tensor> result{logits.detach()};
    for (const torch::Tensor& parameter : model->parameters()) result.push_back(parameter.grad());
    return result;
  };
  const std::vector<torch::Tensor> plain = run();
  EXPECT_EQ(prepare_qat(*model, {.group = 32}).size(), 15U);
  const std::vector<torch::Tensor> on = run();
  EXPECT_FALSE(torch::equal(on[0], plain[0]));
  EXPECT_LT(((on[0] - plain[0]).norm() / plain[0].norm()).item<double>(), 0.5);
  switch_fake_quant(*model, false);
  const std::vector<torch::Tensor> off = run();
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_TRUE(torch::equal(off[i], plain[i])) << i;
  switch_fake_quant(*model, true);
  EXPECT_TRUE(torch::equal(run()[0], on[0]));
}

TEST(Qat, SwitchedOffDoubleIsAllowed) {
  Llama model(small_qat_config(), kFloat.dtype(torch::kFloat64));
  const torch::Tensor tokens = torch::randint(64, {1, 5}, torch::kInt64);
  prepare_qat(*model, {.group = 32});
  EXPECT_THROW(model(tokens), Error);
  switch_fake_quant(*model, false);
  EXPECT_NO_THROW(model(tokens));
}

TEST(Qat, ReplacesWhatTheGroupDivides) {
  // Of widths 64 and 96 groups of 64 divide the first only: w2 is left alone.
  Llama model(small_qat_config(), kFloat);
  const std::vector<std::string> swapped = prepare_qat(*model, {.group = 64});
  EXPECT_EQ(swapped.size(), 13U);
  EXPECT_EQ(swapped.front(), "layers.0.attn.q_proj");
  EXPECT_EQ(swapped.back(), "output");
  EXPECT_EQ(std::ranges::count(swapped, "layers.0.mlp.w2"), 0);
  EXPECT_THAT([&] { prepare_qat(*model, {.group = 64}); },
              ThrowsMessage<Error>(HasSubstr("layers.0.attn.q_proj: has a base product")));
  Llama other(small_qat_config(), kFloat);
  EXPECT_THAT([&] { prepare_qat(*other, {.group = 40}); },
              ThrowsMessage<UsageError>(HasSubstr("groups of 40")));
}

struct Pass {
  double loss = 0;
  std::vector<torch::Tensor> gradients;
};

/// Loss and gradients of a model whose head is fake-quantised too.
Pass pass(bool fused, torch::ScalarType type, bool clip) {
  torch::manual_seed(8);
  Llama model(small_qat_config(), torch::TensorOptions(type));
  prepare_qat(*model, {.group = 32, .clip_gradient = clip});
  Examples examples;
  examples.tokens_bs = torch::randint(64, {3, 9}, torch::kInt64);
  examples.shifted_bs = shift_labels(examples.tokens_bs);
  examples.shifted_bs[1].slice(0, 0, 4).fill_(kMasked);
  const torch::Tensor loss = LanguageModelling(fused).sums(model, examples).loss;
  (loss * 0.1).backward();
  Pass result{loss.item<double>(), {}};
  for (const auto& item : model->named_parameters()) {
    result.gradients.push_back(item.value().grad());
    if (item.key() != "output.weight") continue;
    const FakeQuantised head = examine_weight(item.value(), {.group = 32});
    // Where a weight was clipped; in 16 bits a gradient may also be rounded to 0.
    const torch::Tensor clipped = item.value().grad().masked_select(~head.inside);
    EXPECT_GT(clipped.numel(), 0);
    EXPECT_EQ((clipped == 0).all().item<bool>(), clip);
    EXPECT_GT((item.value().grad().masked_select(head.inside) != 0).sum().item<std::int64_t>(),
              head.inside.numel() / 2);
  }
  return result;
}

TEST(Qat, AFusedLossIsThatOfAllLogits) {
  const auto expect = [](torch::ScalarType type, bool clip, double tolerance) {
    const Pass plain = pass(false, type, clip), fused = pass(true, type, clip);
    EXPECT_NEAR(fused.loss, plain.loss, 1e-6 * plain.loss);
    ASSERT_EQ(fused.gradients.size(), plain.gradients.size());
    for (std::size_t i = 0; i < plain.gradients.size(); ++i) {
      const torch::Tensor &got = fused.gradients[i], &want = plain.gradients[i];
      EXPECT_LE(((got - want).norm() / want.norm()).item<double>(), tolerance) << i;
    }
  };
  for (const bool clip : {true, false}) {
    expect(torch::kFloat32, clip, 1e-6);
    expect(torch::kBFloat16, clip, 2e-2);
  }
}

TEST(Qat, AFusedLossNeverHoldsAllLogits) {
  LlamaConfig config = small_qat_config();
  config.vocab_size = 4096;
  config.layers = 1;
  config.max_seq_len = 1024;
  Examples examples;
  examples.tokens_bs = torch::randint(config.vocab_size, {2, config.max_seq_len}, torch::kInt64);
  examples.shifted_bs = shift_labels(examples.tokens_bs);
  const auto peak = [&](bool fused) {
    const torch_support::CpuMemoryScope counted;
    Llama model(config, kFloat);
    prepare_qat(*model, {.group = 32});
    LanguageModelling(fused).sums(model, examples).loss.backward();
    return torch_support::cpu_memory().peak;
  };
  const auto logits = static_cast<std::uint64_t>(4 * examples.tokens_bs.numel() * 4096);
  EXPECT_LT(peak(true), logits);
  EXPECT_GT(peak(false), 2 * logits);
}

TEST(Qat, AdaptersSeeTheActivationsAsTheyAre) {
  torch::manual_seed(9);
  const torch::NoGradGuard no_grad;
  Linear linear(64, 32, kFloat);
  const torch::Tensor x = torch::randn({3, 64});
  prepare_qat(*linear, {.group = 32});
  const torch::Tensor base = linear(x);
  linear->add_lora(4, 8);
  auto parameters = linear->named_parameters();
  parameters["lora_b.weight"].normal_();
  const torch::Tensor added =
      torch::linear(torch::linear(x, parameters["lora_a.weight"]) * 2, parameters["lora_b.weight"]);
  EXPECT_LT((linear(x) - base - added).abs().max().item<double>(), 1e-5);
}

}  // namespace
}  // namespace scalemark::llm
