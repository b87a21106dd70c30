// SPDX-License-Identifier: Apache-2.0
// NF4 against a reference of single numbers, and QLoRA models.
#include "suites/llm/quant/nf4.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/utils.h>

#include "common/base/error.hpp"
#include "suites/llm/model/llama.hpp"
#include "suites/llm/quant/nf4_rows.hpp"
#include "suites/llm/quant/qlora.hpp"
#include "tests/suites/llm/tensor_options.hpp"

namespace scalemark::llm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Number by number, in the arithmetic of T, with the mean that LibTorch computes.
template <typename T>
struct Reference {
  std::vector<int> codes, scalers;
  std::vector<T> weight;

  explicit Reference(const torch::Tensor& tensor, T mean) {
    const T* const w = tensor.const_data_ptr<T>();
    const auto blocks = static_cast<std::size_t>(tensor.numel() / 64);
    std::vector<T> maxima(blocks, T(0));
    for (std::size_t i = 0; i < blocks * 64; ++i)
      maxima[i / 64] = std::max(maxima[i / 64], T(std::abs(w[i])));
    for (std::size_t i = 0; i < blocks * 64; ++i) codes.push_back(nearest(w[i] / maxima[i / 64]));
    std::vector<T> factors;
    for (std::size_t group = 0; group < blocks; group += 256) {
      T largest = T(0);
      for (std::size_t b = group; b < group + 256; ++b)
        largest = std::max(largest, T(std::abs(maxima[b] - mean)));
      factors.push_back(T(256) / (T(2) * largest));
    }
    for (std::size_t b = 0; b < blocks; ++b) {
      const double scaler =
          std::nearbyint(static_cast<double>((maxima[b] - mean) * factors[b / 256]));
      scalers.push_back(std::isnan(scaler) ? 0
                                           : static_cast<int>(std::clamp(scaler, -128.0, 127.0)));
    }
    for (std::size_t i = 0; i < blocks * 64; ++i) {
      const T scale = T(static_cast<float>(scalers[i / 64])) / factors[i / 64 / 256] + mean;
      weight.push_back(value(codes[i]) * scale);
    }
  }
  static T value(int code) {
    const double exact = nf4::kCodebook[static_cast<std::size_t>(code)];
    if constexpr (sizeof(T) == 2) {
      return T(static_cast<float>(exact));
    } else {
      return static_cast<T>(exact);
    }
  }
  static int nearest(T scaled) {
    int best = 0;
    for (int code = 1; code < 16; ++code) {
      if (T(std::abs(scaled - value(code))) < T(std::abs(scaled - value(best)))) best = code;
    }
    return best;
  }
};

template <typename T>
void expect_reference(torch::ScalarType type) {
  torch::manual_seed(3);
  torch::Tensor weight = torch::randn({96, 512}, kDouble);
  weight = (weight * weight * weight * torch::rand({96, 1}, kDouble)).to(type);
  const Nf4Tensor got = quantise_nf4(weight);
  const Reference<T> want(weight, *got.mean.const_data_ptr<T>());
  EXPECT_TRUE(torch::equal(nf4_codes(got), torch::tensor(want.codes).to(torch::kUInt8)));
  EXPECT_TRUE(torch::equal(got.scalers, torch::tensor(want.scalers).to(torch::kInt8)));
  const torch::Tensor back = dequantise(got);
  EXPECT_EQ(back.scalar_type(), type);
  EXPECT_EQ(back.sizes(), weight.sizes());
  std::size_t different = 0;
  for (std::size_t i = 0; i < want.weight.size(); ++i) {
    if (back.const_data_ptr<T>()[i] != want.weight[i]) ++different;
  }
  EXPECT_EQ(different, 0U);
  EXPECT_TRUE(torch::equal(back, dequantise_by_operators(got)));
}

TEST(Nf4, Fp64IsTheReference) { expect_reference<double>(torch::kFloat64); }
TEST(Nf4, Fp32IsTheReference) { expect_reference<float>(torch::kFloat32); }
TEST(Nf4, Bf16IsTheReference) { expect_reference<c10::BFloat16>(torch::kBFloat16); }

/// Values of the codebook times a power of two for each block of 64.
torch::Tensor codebook_times(const torch::Tensor& scales) {
  const torch::Tensor values =
      torch::tensor(torch::ArrayRef<double>(nf4::kCodebook.data(), 16), torch::kFloat64);
  return (values.repeat({4}) * scales.unsqueeze(1)).to(torch::kFloat32);
}

TEST(Nf4, EqualScalesOfCodebookValuesComeBackExactly) {
  const torch::Tensor weight = codebook_times(torch::full({512}, 0.25, kDouble));
  const Nf4Tensor got = quantise_nf4(weight);
  EXPECT_TRUE(torch::equal(nf4_codes(got), torch::arange(16).repeat({2048}).to(torch::kUInt8)));
  EXPECT_TRUE(got.factors.isinf().all().item<bool>());
  EXPECT_EQ(got.scalers.abs().max().item<int>(), 0);
  EXPECT_TRUE(torch::equal(dequantise(got), weight));
}

TEST(Nf4, CodebookValuesComeBackExactlyButForTheScale) {
  const torch::Tensor scales = torch::pow(2.0, torch::randint(-6, 2, {512}, kDouble));
  const torch::Tensor weight = codebook_times(scales);
  const Nf4Tensor got = quantise_nf4(weight);
  EXPECT_TRUE(torch::equal(nf4_codes(got), torch::arange(16).repeat({2048}).to(torch::kUInt8)));
  // A step of the scales is 1 / factor; +128 is cut to 127.
  const torch::Tensor error =
      (dequantise_scales(got) - scales.to(torch::kFloat32)).abs().view({2, 256}).amax(1);
  EXPECT_TRUE((error <= 1.001 / got.factors).all().item<bool>());
  const torch::Tensor want = codebook_times(dequantise_scales(got).to(torch::kFloat64));
  EXPECT_LT((dequantise(got) - want).abs().max().item<double>(), 1e-6);
}

TEST(Nf4, PacksTheFirstElementIntoTheHighHalf) {
  torch::Tensor weight = torch::zeros({256, 64});
  weight[0][0] = 1;   // code 15
  weight[0][2] = -1;  // code 0
  const torch::Tensor packed = quantise_nf4(weight).packed;
  EXPECT_EQ(packed[0].item<int>(), 0xF7);
  EXPECT_EQ(packed[1].item<int>(), 0x07);
  EXPECT_EQ(packed[2].item<int>(), 0x77);
}

TEST(Nf4, BlocksOfZerosStayFinite) {
  torch::Tensor weight = torch::zeros({512, 64});
  EXPECT_EQ(dequantise(quantise_nf4(weight)).abs().max().item<double>(), 0);
  weight.slice(0, 1).normal_();
  const Nf4Tensor got = quantise_nf4(weight);
  EXPECT_EQ(nf4_codes(got).slice(0, 0, 64).max().item<int>(), 0);
  EXPECT_EQ(got.scalers[0].item<int>(), -128) << "the farthest from the mean, below it";
  const torch::Tensor back = dequantise(got);
  EXPECT_TRUE(back.isfinite().all().item<bool>());
  // One step of the scales at most.
  EXPECT_LE(back[0].abs().max().item<double>(), 1.001 / got.factors[0].item<double>());
}

TEST(Nf4, WhatItCannotTakeIsNamed) {
  const auto refuses = [](const torch::Tensor& weight, const char* text) {
    EXPECT_THAT([&] { quantise_nf4(weight); }, ThrowsMessage<Error>(HasSubstr(text)));
  };
  refuses(torch::ones({64, 255}), "[64, 255] has 16320");
  refuses(torch::ones({0, 64}), "multiple of 16384");
  refuses(torch::ones({64, 256}, torch::kFloat16), "not Half");
  refuses(torch::full({64, 256}, std::nan("")), "NaN");
  refuses(torch::full({64, 256}, -std::numeric_limits<double>::infinity()), "infinity");
}

TEST(Nf4, AWeightWithoutValuesHasTheSameShapes) {
  const torch::Tensor weight = torch::randn({256, 128}, torch::kBFloat16);
  const Nf4Tensor real = quantise_nf4(weight), shapes = quantise_nf4(weight.to(torch::kMeta));
  EXPECT_EQ(shapes.shape, real.shape);
  for (const auto& [one, other] :
       {std::pair(shapes.packed, real.packed), std::pair(shapes.scalers, real.scalers),
        std::pair(shapes.factors, real.factors), std::pair(shapes.mean, real.mean),
        std::pair(shapes.codebook, real.codebook)}) {
    EXPECT_TRUE(one.is_meta());
    EXPECT_EQ(one.sizes(), other.sizes());
    EXPECT_EQ(one.scalar_type(), other.scalar_type());
  }
}

TEST(Nf4, DoesNotDependOnTheNumberOfThreads) {
  const torch::Tensor weight = torch::randn({512, 768});
  const int before = at::get_num_threads();
  at::set_num_threads(1);
  const Nf4Tensor one = quantise_nf4(weight);
  const torch::Tensor back = dequantise(one);
  at::set_num_threads(3);
  const Nf4Tensor three = quantise_nf4(weight);
  EXPECT_TRUE(torch::equal(one.packed, three.packed));
  EXPECT_TRUE(torch::equal(dequantise(one), back));
  at::set_num_threads(before);
}

TEST(Nf4Linear, EqualsTheMapOverTheDequantisedWeight) {
  const Nf4Tensor quantised = quantise_nf4(torch::randn({128, 256}, kDouble));
  const torch::Tensor x = torch::randn({2, 3, 256}, kDouble).requires_grad_(),
                      same = x.detach().clone().requires_grad_(),
                      gradient = torch::randn({2, 3, 128}, kDouble);
  const torch::Tensor want = torch::linear(same, dequantise(quantised));
  want.backward(gradient);
  for (const bool fused : {true, false}) {
    x.mutable_grad().reset();
    const torch::Tensor y = nf4_linear(x, quantised, fused);
    EXPECT_TRUE(torch::equal(y, want)) << fused;
    y.backward(gradient);
    EXPECT_LT((x.grad() - same.grad()).abs().max().item<double>(), 1e-12) << fused;
  }
}

LlamaConfig small_config() {
  return {.vocab_size = 64,
          .dim = 128,
          .layers = 2,
          .heads = 4,
          .kv_heads = 4,
          .ffn_dim = 256,
          .max_seq_len = 16};
}

std::int64_t bytes_of(const std::vector<torch::Tensor>& tensors) {
  std::int64_t bytes = 0;
  for (const torch::Tensor& tensor : tensors) bytes += static_cast<std::int64_t>(tensor.nbytes());
  return bytes;
}

TEST(Qlora, KeepsTheLayersMatricesInFourBits) {
  const LlamaConfig config = small_config();
  Llama model(config, kFloat);
  quantise_base(*model);
  const ParameterCounts counts = count_parameters(config);
  std::int64_t left = 0;
  for (const auto& item : model->named_parameters()) {
    left += item.value().numel();
    EXPECT_EQ(item.key().find("proj"), std::string::npos) << item.key();
  }
  EXPECT_EQ(left, counts.total - config.layers * counts.layer_linear);
  const auto linear = static_cast<double>(config.layers * counts.layer_linear);
  EXPECT_NEAR(8.0 * static_cast<double>(bytes_of(model->buffers())) / linear, 4.127, 0.04);
}

TEST(Qlora, IsTheModelOverDequantisedWeightsWithAdaptersOnTop) {
  torch::manual_seed(5);
  const LlamaConfig config = small_config();
  Llama plain(config, kDouble), quantised(config, kDouble);
  {
    const torch::NoGradGuard no_grad;
    const auto source = plain->named_parameters();
    for (auto& item : quantised->named_parameters()) item.value().copy_(source[item.key()]);
    for (const NamedLinear& linear : find_linears(*plain, layer_linears()))
      linear.module->weight.copy_(dequantise(quantise_nf4(linear.module->weight)));
  }
  quantise_base(*quantised);
  const torch::Tensor tokens = torch::randint(config.vocab_size, {2, 7}, torch::kInt64);
  EXPECT_LT((quantised(tokens) - plain(tokens)).abs().max().item<double>(), 1e-12);

  for (Llama* model : {&plain, &quantised}) add_lora(**model, {});
  const auto source = plain->named_parameters();
  for (auto& item : quantised->named_parameters()) {
    if (!item.value().requires_grad()) continue;
    const torch::NoGradGuard no_grad;
    source[item.key()].normal_();
    item.value().copy_(source[item.key()]);
  }
  const torch::Tensor got = quantised(tokens), want = plain(tokens);
  EXPECT_LT((got - want).abs().max().item<double>(), 1e-9);
  got.square().mean().backward();
  want.square().mean().backward();
  std::size_t compared = 0;
  for (const auto& item : quantised->named_parameters()) {
    if (!item.value().requires_grad()) continue;
    const torch::Tensor& expected = source[item.key()].grad();
    EXPECT_LT(((item.value().grad() - expected).norm() / expected.norm()).item<double>(), 1e-9)
        << item.key();
    ++compared;
  }
  EXPECT_EQ(compared, 24U);
  const LoraOff off(*quantised);
  EXPECT_GT((quantised(tokens) - got).abs().max().item<double>(), 1e-3);
}

TEST(Qlora, RefusesWhatItCannotQuantiseByName) {
  LlamaConfig config = small_config();
  Llama model(config, kFloat);
  EXPECT_THAT(
      [&] {
        quantise_base(*model, {"w1", "w9"});
      },
      ThrowsMessage<UsageError>(HasSubstr("w9")));
  quantise_base(*model, {"w1"});
  EXPECT_THAT([&] { quantise_base(*model, {"w1"}); },
              ThrowsMessage<Error>(HasSubstr("layers.0.mlp.w1: has a base product")));
  config.ffn_dim = 200;
  EXPECT_THAT(
      [&] {
        Llama odd(config, kFloat);
        quantise_base(*odd);
      },
      ThrowsMessage<Error>(HasSubstr("layers.0.mlp.w1: NF4 wants a multiple")));
}

}  // namespace
}  // namespace scalemark::llm
