// SPDX-License-Identifier: Apache-2.0
// LoRA, losses and AdamW on hand-worked cases; what the check of a LoRA layer notices.
#include <cmath>
#include <memory>
#include <string_view>
#include <vector>

#include <ATen/record_function.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "common/base/error.hpp"
#include "suites/llm/model/llama.hpp"
#include "suites/llm/model/loss.hpp"
#include "suites/llm/optim/adamw.hpp"
#include "suites/llm/train/lora_check.hpp"
#include "tests/suites/llm/tensor_options.hpp"

namespace scalemark::llm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

torch::Tensor row(std::initializer_list<double> values) {
  return torch::tensor(std::vector<double>(values), torch::kFloat64).unsqueeze(0);
}

TEST(Lora, AddsAlphaOverRankTimesBTimesA) {
  const torch::NoGradGuard no_grad;
  Linear linear(2, 1, kDouble);
  linear->weight.copy_(row({1, 2}));
  linear->add_lora(2, 6);
  auto parameters = linear->named_parameters();
  parameters["lora_a.weight"].copy_(torch::tensor({{1.0, 1.0}, {0.0, 1.0}}, torch::kFloat64));
  parameters["lora_b.weight"].copy_(row({10, 1}));
  // W x = 3 + 8 = 11; A x = (7, 4); B A x = 74; factor 6 / 2.
  EXPECT_DOUBLE_EQ(linear(row({3, 4})).item<double>(), 11 + 3 * 74);
}

TEST(Lora, FreshAdaptersAreKaimingAndZero) {
  torch::manual_seed(1);
  Linear linear(400, 300, kDouble);
  linear->add_lora(8, 16);
  const auto parameters = linear->named_parameters();
  const torch::Tensor a = parameters["lora_a.weight"];
  EXPECT_EQ(parameters["lora_b.weight"].abs().max().item<double>(), 0);
  EXPECT_THAT(a.sizes().vec(), ElementsAre(8, 400));
  // Uniform in +-1 / sqrt(400): deviation 0.05 / sqrt(3).
  EXPECT_LE(a.abs().max().item<double>(), 0.05);
  EXPECT_NEAR(a.std().item<double>(), 0.05 / std::sqrt(3.0), 0.001);
  EXPECT_THROW(linear->add_lora(8, 16), Error);
}

TEST(Lora, SwitchedOffTheModelIsTheBaseBitByBit) {
  const torch::NoGradGuard no_grad;
  const LlamaConfig config = llama_config("tiny");
  Llama model(config, torch::TensorOptions());
  const torch::Tensor tokens = torch::randint(config.vocab_size, {1, 9}, torch::kInt64);
  const torch::Tensor base = model(tokens);
  add_lora(*model, {});
  EXPECT_EQ((model(tokens) - base).abs().max().item<double>(), 0);
  for (torch::Tensor& parameter : model->parameters()) {
    if (parameter.requires_grad()) parameter.normal_();
  }
  EXPECT_GT((model(tokens) - base).abs().max().item<double>(), 0.01);
  {
    const LoraOff off(*model);
    { const LoraOff again(*model); }
    EXPECT_TRUE(torch::equal(model(tokens), base));
  }
  EXPECT_GT((model(tokens) - base).abs().max().item<double>(), 0.01);
}

TEST(Lora, TrainsTheAdaptersOnly) {
  const LlamaConfig config = llama_config("tiny");
  Llama model(config, torch::TensorOptions());
  add_lora(*model, {});
  std::int64_t trained = 0;
  for (const auto& item : model->named_parameters()) {
    EXPECT_EQ(item.value().requires_grad(), item.key().find("lora_") != std::string::npos)
        << item.key();
    if (item.value().requires_grad()) trained += item.value().numel();
    EXPECT_EQ(item.key().find("k_proj.lora"), std::string::npos);
  }
  EXPECT_EQ(trained, config.layers * count_lora_parameters(config, {}));
}

TEST(Lora, AnUnknownModuleIsNamed) {
  Llama model(llama_config("tiny"), torch::TensorOptions());
  EXPECT_THAT(
      [&] {
        add_lora(*model, {.rank = 8, .alpha = 16, .modules = {"q_proj", "gate"}});
      },
      ThrowsMessage<UsageError>(HasSubstr("gate")));
}

TEST(Loss, LabelsMoveOneToTheLeft) {
  const torch::Tensor shifted = shift_labels(torch::tensor({{5, -100, 7}, {1, 2, 3}}));
  EXPECT_TRUE(torch::equal(shifted, torch::tensor({{-100, 7, -100}, {2, 3, -100}})));
  EXPECT_EQ(count_labels(shifted), 3);
}

TEST(Loss, OfEqualLogitsIsTheLogarithmOfTheVocabulary) {
  const torch::Tensor logits = torch::zeros({2, 3, 4}, kDouble),
                      labels = torch::tensor({{1, -100, 3}, {0, 0, -100}});
  EXPECT_NEAR(loss_sum(logits, labels).item<double>(), 4 * std::log(4.0), 1e-14);
  EXPECT_NEAR(loss_mean(logits, labels).item<double>(), std::log(4.0), 1e-14);
  const torch::Tensor each = token_losses(logits, labels);
  EXPECT_EQ(each[0][1].item<double>(), 0);
  EXPECT_NEAR(each[0][2].item<double>(), std::log(4.0), 1e-14);
  const torch::Tensor rows = sequence_log_probability(logits, labels);
  EXPECT_NEAR(rows[1].item<double>(), -2 * std::log(4.0), 1e-14);
}

TEST(Loss, ChunksAddUpEvenWhereAllLabelsOfOneAreMasked) {
  const torch::Tensor logits = torch::randn({2, 11, 5}, kDouble);
  torch::Tensor labels = torch::randint(5, {2, 11}, torch::kInt64);
  labels.slice(1, 0, 4).fill_(kMasked);
  const double whole = loss_sum(logits, labels).item<double>();
  for (const int chunks : {2, 8, 11, 100})
    EXPECT_NEAR(loss_sum(logits, labels, chunks).item<double>(), whole, 1e-12);
}

TEST(Loss, AllMaskedIsZeroWithZeroGradient) {
  const torch::Tensor logits = torch::randn({1, 3, 4}, kDouble).requires_grad_();
  const torch::Tensor loss = loss_mean(logits, torch::full({1, 3}, kMasked), 2);
  loss.backward();
  EXPECT_EQ(loss.item<double>(), 0);
  EXPECT_EQ(logits.grad().abs().max().item<double>(), 0);
}

TEST(AdamW, StepsByHand) {
  torch::Tensor x = row({2}).requires_grad_();
  AdamW optimizer(
      {x}, {.learning_rate = 0.1, .beta1 = 0.5, .beta2 = 0.75, .eps = 0.5, .weight_decay = 0.2});
  x.mutable_grad() = row({3});
  optimizer.step();
  // Bias-corrected first moments are the gradient itself: 2 (1 - 0.02) - 0.1 * 3 / (3 + 0.5).
  const double after = 1.96 - 0.3 / 3.5;
  EXPECT_NEAR(x.item<double>(), after, 1e-14);
  x.mutable_grad() = row({1});
  optimizer.step();
  // m = 0.5 * 1.5 + 0.5 = 1.25, over 1 - 0.25; v = 0.75 * 2.25 + 0.25 = 1.9375, over 1 - 0.5625.
  const double mean = 1.25 / 0.75, square = 1.9375 / 0.4375;
  EXPECT_NEAR(x.item<double>(), after * 0.98 - 0.1 * mean / (std::sqrt(square) + 0.5), 1e-14);
  optimizer.zero_grad();
  EXPECT_FALSE(x.grad().defined());
}

/// How often `body` calls the operator of that name.
template <typename Body>
int calls_of(const char* name, const Body& body) {
  static const char* wanted = nullptr;
  static int calls = 0;
  wanted = name, calls = 0;
  const auto note = [](const at::RecordFunction& called) -> std::unique_ptr<at::ObserverContext> {
    if (called.name() == std::string_view(wanted)) ++calls;
    return nullptr;
  };
  const auto handle =
      at::addGlobalCallback(at::RecordFunctionCallback(note).scopes({at::RecordScope::FUNCTION}));
  body();
  at::removeCallback(handle);
  return calls;
}

TEST(LayerStep, TheVariantsDoWhatTheySay) {
  const LlamaConfig config = llama_config("tiny");
  DecoderLayer layer(config, torch::dtype(torch::kFloat32));
  add_lora(*layer, {});
  const LayerData data = random_layer_data(config, 1, 6, torch::dtype(torch::kFloat32));
  const auto step = [&](const LayerStepOptions& how) {
    LayerOptimizer optimizer(layer, {}, how);
    torch::mse_loss(layer_output(layer, data.x, data.positions, how), data.target).backward();
    optimizer.step();
    optimizer.zero_grad();
  };
  for (const bool checkpointing : {false, true}) {
    // Seven products and six adapters of two.
    EXPECT_EQ(calls_of("aten::linear", [&] { step({.checkpointing = checkpointing}); }),
              checkpointing ? 2 * 19 : 19);
  }
  for (const bool fused : {false, true}) {
    EXPECT_EQ(calls_of("aten::_fused_adamw_", [&] { step({.fused_optimizer = fused}); }),
              fused ? 1 : 0);
  }
}

TEST(LayerOptimizer, BothKindsTakeTheSameSteps) {
  const LlamaConfig config = llama_config("tiny");
  const auto trained = [&](bool fused) {
    torch::manual_seed(3);
    DecoderLayer layer(config, kDouble);
    add_lora(*layer, {});
    const LayerData data = random_layer_data(config, 1, 6, kDouble);
    const LayerStepOptions how{.fused_optimizer = fused};
    LayerOptimizer optimizer(layer, {.learning_rate = 0.01, .eps = 1e-6, .weight_decay = 0.1}, how);
    for (int step = 0; step < 3; ++step) {
      optimizer.zero_grad();
      torch::mse_loss(layer_output(layer, data.x, data.positions, how), data.target).backward();
      optimizer.step();
    }
    return trainable_parameters(*layer);
  };
  const auto fused = trained(true), plain = trained(false);
  for (std::size_t i = 0; i < fused.size(); ++i) {
    EXPECT_TRUE(torch::allclose(fused[i], plain[i], 1e-10, 1e-12)) << i;
    EXPECT_GT(fused[i].abs().max().item<double>(), 1e-3) << "lora_b has left zero";
  }
}

struct LayerCase {
  LlamaConfig config = llama_config("tiny");
  DecoderLayer layer;
  LayerData data;

  explicit LayerCase(std::int64_t batch = 2, std::int64_t sequence = 10,
                     torch::ScalarType type = torch::kFloat32)
      : layer(config, torch::dtype(type)),
        data(random_layer_data(config, batch, sequence, torch::dtype(type))) {
    add_lora(*layer, {});
  }
  std::uint64_t outputs() const { return static_cast<std::uint64_t>(data.x.numel()); }
  Case::Checked check(const LayerStepOptions& how = {}) {
    return check_lora_layer(layer, data, how);
  }
  torch::Tensor parameter(const std::string& name) { return layer->named_parameters()[name]; }
};

TEST(LoraCheck, PassesAndLooksAtEveryOutput) {
  LayerCase c;
  const Case::Checked checked = c.check();
  EXPECT_EQ(checked.wrong, 0U);
  EXPECT_GT(checked.checked, c.outputs());
  EXPECT_EQ(c.check().wrong, 0U) << "trained adapters are set back";
}

TEST(LoraCheck, PassesWithManyTokensWhereTheGradientIsSmall) {
  EXPECT_EQ(LayerCase(16, 256).check().wrong, 0U);
}

TEST(LoraCheck, NoticesAWrongGradient) {
  LayerCase c;
  c.parameter("mlp.w2.lora_b.weight").register_hook([](const torch::Tensor& gradient) {
    return gradient * 1.5;
  });
  EXPECT_EQ(c.check().wrong, 1U);
}

TEST(LoraCheck, PassesInEachVariant) {
  for (const auto type : {torch::kFloat64, torch::kFloat32, torch::kBFloat16}) {
    for (const bool checkpointing : {false, true}) {
      for (const bool fused : {false, true}) {
        LayerCase c(2, 10, type);
        const Case::Checked checked =
            c.check({.checkpointing = checkpointing, .fused_optimizer = fused});
        EXPECT_EQ(checked.wrong, 0U) << type << checkpointing << fused;
      }
    }
  }
}

/// On one CPU nothing is added up in another order.
TEST(LoraCheck, CheckpointingChangesNoBitOfLossAndGradients) {
  for (const auto type : {torch::kFloat64, torch::kFloat32, torch::kBFloat16}) {
    LayerCase c(2, 10, type);
    {
      const torch::NoGradGuard no_grad;
      c.parameter("mlp.w2.lora_b.weight").fill_(0.01);
      c.parameter("attn.q_proj.lora_b.weight").fill_(-0.01);
    }
    std::vector<std::vector<torch::Tensor>> found;
    for (const bool checkpointing : {false, true}) {
      std::vector<torch::Tensor> holders = trainable_parameters(*c.layer);
      holders.push_back(c.data.x);
      for (torch::Tensor& holder : holders) holder.mutable_grad().reset();
      const torch::Tensor loss = torch::mse_loss(
          layer_output(c.layer, c.data.x, c.data.positions, {.checkpointing = checkpointing}),
          c.data.target);
      loss.backward();
      found.push_back({loss.detach()});
      for (const torch::Tensor& holder : holders) found.back().push_back(holder.grad());
    }
    ASSERT_EQ(found[0].size(), 14U) << "a loss, twelve adapters, x";
    for (std::size_t i = 0; i < found[0].size(); ++i)
      EXPECT_TRUE(torch::equal(found[0][i], found[1][i])) << type << ' ' << i;
  }
}

/// The first backward pass, which is the one with checkpointing, gets another gradient.
TEST(LoraCheck, NoticesThatTheSecondForwardPassDiffers) {
  LayerCase c;
  int calls = 0;
  c.parameter("mlp.w2.lora_b.weight").register_hook([&](const torch::Tensor& gradient) {
    return ++calls == 1 ? gradient * 1.01 : gradient;
  });
  EXPECT_EQ(c.check({.checkpointing = true}).wrong, 1U);
}

TEST(LoraCheck, NoticesAGradientOfA) {
  LayerCase c;
  c.parameter("attn.q_proj.lora_a.weight").register_hook([](const torch::Tensor& gradient) {
    return gradient + 1e-9;
  });
  EXPECT_EQ(c.check().wrong, 1U);
}

TEST(LoraCheck, NoticesAnOutputThatIsNotTheBase) {
  LayerCase c;
  {
    const torch::NoGradGuard no_grad;
    c.parameter("mlp.w1.lora_a.weight")[0][0] = std::nan("");
  }
  EXPECT_GE(c.check().wrong, c.outputs());
}

TEST(LoraCheck, NoticesThatNothingIsLearnt) {
  LayerCase c;
  for (torch::Tensor& parameter : c.layer->parameters()) {
    if (parameter.requires_grad())
      parameter.register_hook([](const torch::Tensor& gradient) { return -gradient; });
  }
  EXPECT_GE(c.check().wrong, 1U);
}

}  // namespace
}  // namespace scalemark::llm
