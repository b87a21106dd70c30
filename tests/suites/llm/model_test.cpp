// SPDX-License-Identifier: Apache-2.0
// Parts of the Llama3 model on hand-worked cases.
#include <cmath>

#include <gtest/gtest.h>
#include <torch/utils.h>

#include "common/base/error.hpp"
#include "suites/llm/model/llama.hpp"
#include "tests/suites/llm/small_config.hpp"
#include "tests/suites/llm/tensor_options.hpp"

namespace scalemark::llm {
namespace {

double largest_difference(const torch::Tensor& a, const torch::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

TEST(Model, ATableOfPositionsStaysWhenAWiderOneIsMade) {
  Llama model(small_config(), torch::TensorOptions(torch::kDouble));
  const torch::Tensor narrow = model->positions(4).rotation;
  const std::size_t owners = narrow.storage().use_count();
  EXPECT_GT(owners, 1U) << "the model has it too";
  const torch::Tensor wide = model->positions(16).rotation;
  EXPECT_EQ(narrow.storage().use_count(), owners) << "recorded passes may read it";
  EXPECT_EQ(model->positions(2).rotation.const_data_ptr(), wide.const_data_ptr());
}

TEST(RmsNorm, OfASmallVector) {
  const torch::NoGradGuard no_grad;
  RmsNorm norm(2, 0.5, kDouble);
  norm->scale.copy_(torch::tensor({2.0, -1.0}, torch::kFloat64));
  // mean(3^2, 4^2) + 0.5 = 13
  const torch::Tensor y = norm(torch::tensor({{3.0, 4.0}}, torch::kFloat64));
  EXPECT_NEAR(y[0][0].item<double>(), 6 / std::sqrt(13.0), 1e-15);
  EXPECT_NEAR(y[0][1].item<double>(), -4 / std::sqrt(13.0), 1e-15);
}

TEST(RmsNorm, SixteenBitsAreSquaredInFp32) {
  const torch::NoGradGuard no_grad;
  RmsNorm norm(2, 1e-5, torch::TensorOptions().dtype(torch::kFloat16));
  // 300^2 is beyond the largest fp16 number, 65504.
  const torch::Tensor y = norm(torch::tensor({{300.0, 300.0}}).to(torch::kFloat16));
  EXPECT_NEAR(y[0][0].item<double>(), 1, 1e-3);
}

TEST(Rotate, PositionZeroIsTheIdentity) {
  const torch::Tensor x_bshe = torch::randn({2, 1, 3, 8}, kDouble);
  LlamaConfig config = small_config();
  config.dim = 8 * config.heads;
  EXPECT_TRUE(torch::equal(rotate(x_bshe, rotation_table(config, 1, kDouble)), x_bshe));
}

TEST(Rotate, TurnsInterleavedPairsByPositionTimesFrequency) {
  LlamaConfig config = small_config();  // head dimension 4: frequencies 1 and base^-1/2
  config.rope_base = 100;
  const torch::Tensor x_bshe =
      torch::tensor({1.0, 0.0, 0.0, 1.0}, torch::kFloat64).repeat({4}).view({1, 4, 1, 4});
  const torch::Tensor y = rotate(x_bshe, rotation_table(config, 4, kDouble))[0][3][0];
  EXPECT_NEAR(y[0].item<double>(), std::cos(3.0), 1e-15);
  EXPECT_NEAR(y[1].item<double>(), std::sin(3.0), 1e-15);
  EXPECT_NEAR(y[2].item<double>(), -std::sin(0.3), 1e-15);
  EXPECT_NEAR(y[3].item<double>(), std::cos(0.3), 1e-15);
}

TEST(Rotate, KeepsTheTypeAndComputesInFp32) {
  const LlamaConfig config = small_config();
  const torch::Tensor x_bshe = torch::randn({1, 5, 4, 4});
  const torch::Tensor table = rotation_table(config, 5, x_bshe.options().dtype(torch::kBFloat16));
  EXPECT_EQ(table.scalar_type(), torch::kComplexFloat);
  const torch::Tensor y = rotate(x_bshe.to(torch::kBFloat16), table);
  EXPECT_EQ(y.scalar_type(), torch::kBFloat16);
  EXPECT_LT(largest_difference(y.to(torch::kFloat32), rotate(x_bshe, table)), 0.03);
}

TEST(RepeatHeads, SetsCopiesSideBySide) {
  const torch::Tensor x_bske = torch::tensor({1, 2}).view({1, 1, 2, 1});
  EXPECT_TRUE(torch::equal(repeat_heads(x_bske, 3).flatten(), torch::tensor({1, 1, 1, 2, 2, 2})));
  EXPECT_TRUE(torch::equal(repeat_heads(x_bske, 1), x_bske));
}

TEST(Llama, GroupedQueriesEqualFullHeadsWithRepeatedWeights) {
  const torch::NoGradGuard no_grad;
  const LlamaConfig grouped_config = small_config();
  LlamaConfig full_config = grouped_config;
  full_config.kv_heads = full_config.heads;
  Llama grouped(grouped_config, kDouble), full(full_config, kDouble);
  const auto source = grouped->named_parameters();
  for (auto& item : full->named_parameters()) {
    const torch::Tensor& weight = source[item.key()];
    const bool widened = weight.sizes() != item.value().sizes();
    const torch::Tensor heads = weight.unflatten(0, {-1, grouped_config.head_dim()});
    item.value().copy_(widened ? heads.repeat_interleave(2, 0).flatten(0, 1) : weight);
  }
  const torch::Tensor tokens = torch::randint(32, {2, 7}, torch::kInt64);
  EXPECT_LT(largest_difference(grouped(tokens), full(tokens)), 1e-13);
}

TEST(Llama, ALaterTokenDoesNotChangeEarlierLogits) {
  const torch::NoGradGuard no_grad;
  Llama model(small_config(), kDouble);
  const torch::Tensor tokens = torch::randint(32, {1, 8}, torch::kInt64);
  torch::Tensor other = tokens.clone();
  other[0][5] = (other[0][5] + 1) % 32;
  const torch::Tensor difference = (model(tokens) - model(other)).abs().amax(-1)[0];
  EXPECT_EQ(difference.slice(0, 0, 5).max().item<double>(), 0);
  EXPECT_GT(difference.slice(0, 5).min().item<double>(), 0);
}

TEST(Llama, HasAsManyParametersAsCounted) {
  for (const bool tied : {false, true}) {
    LlamaConfig config = small_config();
    config.tied_output = tied;
    Llama model(config, kDouble);
    std::int64_t elements = 0;
    for (const torch::Tensor& parameter : model->parameters()) elements += parameter.numel();
    EXPECT_EQ(elements, count_parameters(config).total);
    EXPECT_EQ(static_cast<std::int64_t>(model->parameters().size()),
              count_parameters(config).tensors);
  }
}

TEST(Llama, ATiedHeadUsesTheEmbedding) {
  const torch::NoGradGuard no_grad;
  LlamaConfig config = small_config();
  config.tied_output = true;
  Llama model(config, kDouble);
  model->named_parameters()["tok_embeddings.weight"][7].zero_();
  const torch::Tensor logits = model(torch::tensor({{1, 2, 3}}));
  EXPECT_EQ(logits.select(-1, 7).abs().max().item<double>(), 0);
  EXPECT_GT(logits.select(-1, 8).abs().max().item<double>(), 0);
}

TEST(Llama, AnUntrainedModelGuessesEvenly) {
  const torch::NoGradGuard no_grad;
  LlamaConfig config = small_config();
  config.vocab_size = 1000;
  Llama model(config, kDouble);
  const torch::Tensor log_probability =
      torch::log_softmax(model(torch::randint(1000, {2, 16}, torch::kInt64)), -1);
  EXPECT_NEAR(-log_probability.mean().item<double>(), std::log(1000.0), 0.3);
}

TEST(Llama, ATooLongSequenceIsRefused) {
  Llama model(small_config(), kDouble);
  EXPECT_NO_THROW(model(torch::zeros({1, 16}, torch::kInt64)));
  EXPECT_THROW(model(torch::zeros({1, 17}, torch::kInt64)), Error);
}

TEST(Llama, PackedRowsEqualSeparateSequences) {
  const torch::NoGradGuard no_grad;
  Llama model(small_config(), kDouble);
  const torch::Tensor tokens = torch::randint(32, {2, 9}, torch::kInt64);
  const torch::Tensor packed =
      model->forward_at(tokens, model->packed_positions(make_packing({{4, 5}, {1, 8}})));
  EXPECT_LT(largest_difference(packed[0].slice(0, 4), model(tokens.slice(0, 0, 1).slice(1, 4))[0]),
            1e-13);
  EXPECT_LT(largest_difference(packed[1].slice(0, 1), model(tokens.slice(0, 1).slice(1, 1))[0]),
            1e-13);
  EXPECT_GT(largest_difference(packed, model(tokens)), 1e-3);
}

TEST(Llama, Bfloat16FollowsFp32) {
  const torch::NoGradGuard no_grad;
  torch::manual_seed(1);
  const LlamaConfig config = llama_config("tiny");
  DecoderLayer exact(config, torch::TensorOptions()),
      rounded(config, torch::TensorOptions().dtype(torch::kBFloat16));
  const auto source = exact->named_parameters();
  for (auto& item : rounded->named_parameters()) item.value().copy_(source[item.key()]);
  const torch::Tensor x_bsd = torch::randn({1, 12, config.dim});
  const Positions positions{rotation_table(config, 12, x_bsd.options()), {}};
  const torch::Tensor y = rounded(x_bsd.to(torch::kBFloat16), positions);
  EXPECT_EQ(y.scalar_type(), torch::kBFloat16);
  const torch::Tensor want = exact(x_bsd, positions);
  EXPECT_LT(((y.to(torch::kFloat32) - want).norm() / want.norm()).item<double>(), 0.01);
}

}  // namespace
}  // namespace scalemark::llm
