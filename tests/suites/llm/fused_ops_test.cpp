// SPDX-License-Identifier: Apache-2.0
// SwiGLU and rotary positions as one function each, against LibTorch's operators; what kernels
// compute for each element, on the host; products by oneDNN; rows of several sequences.
#include "suites/llm/model/fused_ops.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <torch/utils.h>

#include "common/base/error.hpp"
#include "common/torch/products.hpp"
#include "suites/llm/kernels/device_kernels.hpp"
#include "suites/llm/model/llama.hpp"
#include "suites/llm/quant/elements.hpp"
#include "suites/llm/train/token_loader.hpp"
#include "tests/suites/llm/small_config.hpp"
#include "tests/suites/llm/small_rows.hpp"

namespace scalemark::llm {
namespace {

torch::Tensor leaf(torch::IntArrayRef shape, torch::ScalarType type = torch::kDouble) {
  return torch::randn(shape, type).requires_grad_();
}

TEST(FusedOps, SwigluIsSiluTimesUpWithBothGradients) {
  torch::manual_seed(3);
  for (const auto type : {torch::kDouble, torch::kFloat32, torch::kBFloat16}) {
    const torch::Tensor gate = leaf({3, 5, 8}, type), up = leaf({3, 5, 8}, type),
                        dy = torch::randn({3, 5, 8}, type);
    const torch::Tensor fused = fused_swiglu(gate, up), plain = torch::silu(gate) * up;
    EXPECT_TRUE(torch::equal(fused, plain));
    const auto got = torch::autograd::grad({fused}, {gate, up}, {dy});
    const auto want = torch::autograd::grad({plain}, {gate, up}, {dy});
    const double tolerance = type == torch::kDouble ? 1e-14 : type == torch::kFloat32 ? 1e-6 : 2e-2;
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_TRUE(torch::allclose(got[i], want[i], tolerance, tolerance)) << toString(type) << i;
  }
}

TEST(FusedOps, RotateTurnsItsGradientBack) {
  torch::manual_seed(3);
  const LlamaConfig config = small_config();
  const torch::Tensor table = rotation_table(config, 6, torch::TensorOptions(torch::kDouble));
  const torch::Tensor x = leaf({2, 6, config.heads, config.head_dim()}),
                      dy = torch::randn(x.sizes(), torch::kDouble);
  const torch::Tensor fused = fused_rotate(x, table), plain = rotate(x, table);
  EXPECT_TRUE(torch::equal(fused, plain));
  EXPECT_TRUE(torch::allclose(torch::autograd::grad({fused}, {x}, {dy})[0],
                              torch::autograd::grad({plain}, {x}, {dy})[0], 1e-13, 1e-13));
}

TEST(FusedOps, RotateByOperatorsIsTheComplexProduct) {
  torch::manual_seed(3);
  const LlamaConfig config = small_config();
  const torch::Tensor table = rotation_table(config, 6, torch::TensorOptions(torch::kDouble));
  const torch::Tensor x = leaf({2, 6, config.heads, config.head_dim()}),
                      dy = torch::randn(x.sizes(), torch::kDouble);
  const torch::Tensor by_operators = rotate_by_operators(x, table), product = rotate(x, table);
  EXPECT_TRUE(torch::allclose(by_operators, product, 1e-14, 1e-14));
  EXPECT_TRUE(torch::allclose(torch::autograd::grad({by_operators}, {x}, {dy})[0],
                              torch::autograd::grad({product}, {x}, {dy})[0], 1e-13, 1e-13));
  const torch::Tensor narrow = x.detach().to(torch::kBFloat16);
  EXPECT_EQ(rotate_by_operators(narrow, table).scalar_type(), torch::kBFloat16);
}

/// Loss and gradients of a small model with adapters, by operators or fused.
std::vector<torch::Tensor> loss_and_gradients(bool fused) {
  torch::manual_seed(11);
  Llama model(small_config(), torch::TensorOptions(torch::kDouble));
  add_lora(*model, {});
  for (const torch::Tensor& parameter : trainable_parameters(*model))
    parameter.detach().normal_(0, 0.1);
  model->fuse(fused);
  const torch::Tensor tokens = torch::arange(12).view({2, 6});
  const torch::Tensor loss = model(tokens).square().mean();
  std::vector<torch::Tensor> all = torch::autograd::grad({loss}, trainable_parameters(*model));
  all.push_back(loss);
  return all;
}

TEST(FusedOps, AModelByOperatorsIsTheFusedOne) {
  const auto fused = loss_and_gradients(true), by_operators = loss_and_gradients(false);
  ASSERT_EQ(fused.size(), by_operators.size());
  for (std::size_t i = 0; i < fused.size(); ++i) {
    EXPECT_GT(fused[i].norm().item<double>(), 0) << i;
    EXPECT_TRUE(torch::allclose(fused[i], by_operators[i], 1e-11, 1e-14)) << i;
  }
}

TEST(Elements, AreThoseOfLibTorch) {
  torch::manual_seed(5);
  const torch::Tensor gate = leaf({200}), up = leaf({200}),
                      dy = torch::randn({200}, torch::kDouble);
  const torch::Tensor y = torch::silu(gate) * up;
  const auto gradients = torch::autograd::grad({y}, {gate, up}, {dy});
  const auto at = [](const torch::Tensor& tensor, std::int64_t i) {
    return tensor.const_data_ptr<double>()[i];
  };
  for (std::int64_t i = 0; i < 200; ++i) {
    EXPECT_NEAR(swiglu_of(at(gate, i), at(up, i)), at(y, i), 1e-14);
    const auto gradient = swiglu_gradient_of(at(dy, i), at(gate, i), at(up, i));
    EXPECT_NEAR(gradient.gate, at(gradients[0], i), 1e-14);
    EXPECT_NEAR(gradient.up, at(gradients[1], i), 1e-14);
  }
  EXPECT_EQ(swiglu_of(-200.0F, 1.0F), 0) << "no NaN where the sigmoid is 0";
  EXPECT_EQ(swiglu_gradient_of(1.0F, -200.0F, 1.0F).gate, 0);
  const auto quarter = rotated<double>({3, 4}, std::cos(M_PI / 2), std::sin(M_PI / 2));
  EXPECT_NEAR(quarter.real, -4, 1e-15);
  EXPECT_NEAR(quarter.imaginary, 3, 1e-15);
}

TEST(Elements, KernelsTakeNoTensorsOfTheHost) {
  EXPECT_ANY_THROW(device_kernels::swiglu(torch::ones({4}), torch::ones({4})));
}

TEST(Products, ByOneDnnAreThoseOfMklWithBothGradients) {
  torch::manual_seed(6);
  const torch::Tensor x = leaf({2, 64, 128}, torch::kFloat32),
                      w = leaf({256, 128}, torch::kFloat32), dy = torch::randn({2, 64, 256});
  const torch::Tensor want = torch::linear(x.to(torch::kDouble), w.to(torch::kDouble));
  const auto gradients = torch::autograd::grad({want}, {x, w}, {dy.to(torch::kDouble)});
  for (const bool on : {true, false}) {
    const torch_support::FastProducts fast(on);
    const torch::Tensor got = torch_support::linear(x, w);
    EXPECT_EQ(got.grad_fn()->name().find("FastLinear") != std::string::npos, on)
        << got.grad_fn()->name();
    EXPECT_TRUE(torch::allclose(got.to(torch::kDouble), want, 1e-5, 1e-4));
    const auto mine = torch::autograd::grad({got}, {x, w}, {dy});
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_TRUE(torch::allclose(mine[i], gradients[i], 1e-5, 1e-4)) << i;
    EXPECT_TRUE(torch::allclose(torch_support::product(dy, w.detach()), gradients[0], 1e-5, 1e-4));
  }
  // Small ones and other types stay where they were.
  const torch_support::FastProducts fast(true);
  EXPECT_EQ(
      torch_support::linear(x.slice(1, 0, 4), w.slice(0, 0, 8)).grad_fn()->name().find("Fast"),
      std::string::npos);
  EXPECT_EQ(torch_support::linear(x.to(torch::kDouble), w.to(torch::kDouble))
                .grad_fn()
                ->name()
                .find("Fast"),
            std::string::npos);
}

TEST(Packing, CountsThePairsOfTokensInEachSequence) {
  const auto row = [](std::size_t length) {
    return TokenRow{std::vector<Token>(length, 7), std::vector<Token>(length, 7)};
  };
  const std::vector<TokenRow> rows = {row(2), row(3)};
  TokenLoader packed(pack_rows(rows, 8, /*padding=*/0, /*split_across_pack=*/false), {});
  packed.start(0);
  EXPECT_EQ(packed.next().pairs_of_tokens, 2 * 2 + 3 * 3 + 3 * 3) << "the last three are padding";
  TokenLoader padded(rows, {.batch = 2});
  padded.start(0);
  EXPECT_EQ(padded.next().pairs_of_tokens, 2 * 3 * 3);
}

TEST(Packing, SaysWhereEachSequenceIs) {
  const Packing packing = make_packing({{2, 3}, {5}});
  EXPECT_TRUE(torch::equal(
      packing.places_bs, torch::tensor({0, 1, 0, 1, 2, 0, 1, 2, 3, 4}, torch::kLong).view({2, 5})));
  EXPECT_TRUE(
      torch::equal(packing.sequences_bs,
                   torch::tensor({0, 0, 1, 1, 1, 0, 0, 0, 0, 0}, torch::kLong).view({2, 5})));
  EXPECT_EQ(packing.starts.numel(), 17) << "16 sequences, 13 of them empty";
  EXPECT_TRUE(
      torch::equal(packing.starts.slice(0, 0, 4), torch::tensor({0, 2, 5, 10}, torch::kInt32)));
  EXPECT_TRUE(packing.starts.slice(0, 4).eq(10).all().item<bool>());
  EXPECT_EQ(make_packing({std::vector<std::int64_t>(17, 1)}).starts.numel(), 33);
}

TEST(TokenBatches, WhatWasPreparedIsWhatComesNext) {
  const TokenLoaderOptions options{.batch = 2, .seed = 9, .padding = kPadding};
  TokenLoader plain(small_rows(), options), ahead(small_rows(), options);
  for (const std::uint64_t epoch : {0, 1}) {
    plain.start(epoch);
    ahead.start(epoch);
    for (std::int64_t i = 0; i < plain.batches(); ++i) {
      if (i % 3 != 2) ahead.prepare(i % 3 + 1);
      EXPECT_TRUE(torch::equal(plain.next().tokens_bs, ahead.next().tokens_bs)) << i;
    }
    ahead.prepare(2);
    EXPECT_THROW(ahead.next(), Error) << "behind the epoch's last one";
  }
  ahead.start(0, 3);
  ahead.prepare(2);
  ahead.start(0, 0);
  plain.start(0);
  EXPECT_TRUE(torch::equal(plain.next().tokens_bs, ahead.next().tokens_bs)) << "dropped at a start";
}

TEST(TokenBatches, PadsUpToAMultipleButNotBeyondTheLongest) {
  TokenLoader loader(small_rows(), {.batch = 1, .padding = kPadding, .multiple = 8, .longest = 12});
  loader.start(0);
  std::vector<std::int64_t> widths(15, 0);
  for (std::int64_t i = 0; i < loader.batches(); ++i) {
    const Examples examples = loader.next();
    const std::int64_t width = examples.tokens_bs.size(1);
    ASSERT_LT(width, 15);
    ++widths[static_cast<std::size_t>(width)];
    EXPECT_EQ(examples.positions, width);
    EXPECT_LE(examples.tokens, width);
  }
  EXPECT_GT(widths[8], 0);
  EXPECT_GT(widths[12], 0);
  EXPECT_GT(widths[13] + widths[14], 0) << "a row itself is never cut";
  EXPECT_EQ(widths[8] + widths[12] + widths[13] + widths[14], 24);
}

}  // namespace
}  // namespace scalemark::llm
