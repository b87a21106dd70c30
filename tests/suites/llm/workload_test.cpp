// SPDX-License-Identifier: Apache-2.0
// The operations that a fine-tuning states, against those that LibTorch sees in a step of it.
#include "suites/llm/train/workload.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <torch/utils.h>

#include "suites/llm/model/config.hpp"
#include "suites/llm/model/loss.hpp"
#include "suites/llm/train/forecast.hpp"
#include "suites/llm/train/method.hpp"
#include "suites/llm/train/objective.hpp"
#include "suites/llm/train/sharded_traffic.hpp"
#include "suites/llm/train/step.hpp"
#include "tests/support/called_operators.hpp"

namespace scalemark::llm {
namespace {

constexpr std::int64_t kStepRows = 2, kStepWidth = 64;

Point training_point(const std::string& method, const std::string& mode = "paper") {
  return {{"accumulation", std::int64_t{1}},
          {"batch", kStepRows},
          {"checkpointing", false},
          {"device", std::string("cpu")},
          {"method", method},
          {"mode", mode},
          {"model", std::string("tiny")},
          {"packed", false},
          {"pad_multiple", kStepWidth},
          {"parallel", std::string("single")},
          {"precision", std::string("fp32")},
          {"ranks", std::int64_t{1}},
          {"sequence", kStepWidth},
          {"threads", std::int64_t{1}}};
}

/// The three sizes of a product, in ascending order, and how often there is one.
using Products = std::map<std::array<std::int64_t, 3>, std::int64_t>;

void count_product(Products& products, std::array<std::int64_t, 3> sizes, std::int64_t times) {
  std::ranges::sort(sizes);
  products[sizes] += times;
}

/// Products in one such row: forward, and with gradients that of the input and of trained weights.
std::int64_t products_in(const WorkloadPart& part) {
  if (part.benchmark == "micro/gemm") return 1;
  if (part.benchmark != "micro/quantized_linear") return 0;
  if (part.point.text("pass") == "forward") return 1;
  return part.point.text("kind") == "nf4" ? 2 : 3;
}

Products stated(const Point& training) {
  const LlamaConfig config = llama_config("tiny");
  const std::int64_t kv = config.kv_heads * config.head_dim();
  const std::map<std::string, std::array<std::int64_t, 2>> layers{
      {"query", {config.dim, config.dim}},
      {"key_value", {config.dim, kv}},
      {"gate", {config.dim, config.ffn_dim}},
      {"feed_forward", {config.ffn_dim, config.dim}},
      {"head", {config.dim, config.vocab_size}},
      {"adapter_down", {config.dim, 8}},
      {"adapter_down_wide", {config.ffn_dim, 8}},
      {"adapter_up", {8, config.dim}},
      {"adapter_up_narrow", {8, kv}},
      {"adapter_up_wide", {8, config.ffn_dim}}};
  Products products;
  for (const WorkloadPart& part : finetuning_workload(training)) {
    const std::int64_t each = products_in(part);
    if (each == 0) continue;
    const auto& [in, out] = layers.at(part.point.text("shape"));
    count_product(products, {part.point.integer("rows"), in, out}, each * part.count);
  }
  return products;
}

Examples some_examples(Method method, std::int64_t vocabulary) {
  Examples examples;
  examples.tokens_bs = torch::randint(vocabulary, {kStepRows, kStepWidth}, torch::kLong);
  examples.shifted_bs = examples.tokens_bs.roll(-1, 1);
  examples.labels = kStepRows * kStepWidth;
  if (compares_answers(method)) examples.pairs = kStepRows / 2;
  return examples;
}

/// Products of two matrices in a step.
Products seen(Method method, std::size_t micro_batches, bool checkpointing) {
  torch::manual_seed(1);
  const LlamaConfig config = llama_config("tiny");
  Llama model = make_method_model(method, config, torch::TensorOptions());
  model->train();
  model->checkpoint_layers(checkpointing);
  const auto parallelism = make_replicas({});
  parallelism->add(model);
  Finetuner finetuner(model, {}, *parallelism, make_objective(method, model, /*fused=*/false));
  const Examples examples = some_examples(method, config.vocab_size);
  Products products;
  for (const test::CalledOperator& called : test::called_operators([&] {
         finetuner.step(std::vector(micro_batches, examples),
                        finetuner.objective().count(examples));
       })) {
    if (called.name != "aten::mm" && called.name != "aten::bmm") continue;
    // A batch of products with one frozen matrix is one product of all rows.
    const std::vector<std::int64_t>&a = called.sizes.at(0), &b = called.sizes.at(1);
    const std::int64_t rows =
        std::accumulate(a.begin(), a.end() - 1, std::int64_t{1}, std::multiplies());
    count_product(products, {rows, a.back(), b.back()}, 1);
  }
  return products;
}

class EachMethod : public testing::TestWithParam<std::string> {};

TEST_P(EachMethod, ProductsAreThoseOfAStep) {
  const Method method = parse_method(GetParam());
  Point point = training_point(GetParam());
  if (compares_answers(method)) point["batch"] = kStepRows / 2;
  EXPECT_EQ(stated(point), seen(method, 1, false));
  point["accumulation"] = std::int64_t{2};
  EXPECT_EQ(stated(point), seen(method, 2, false));
  point["checkpointing"] = true;
  EXPECT_EQ(stated(point), seen(method, 2, true));
}

INSTANTIATE_TEST_SUITE_P(Methods, EachMethod, testing::ValuesIn(method_names()),
                         [](const auto& method) { return method.param; });

std::map<std::string, std::int64_t> counts(const Point& point) {
  std::map<std::string, std::int64_t> counts;
  for (const WorkloadPart& part : finetuning_workload(point)) counts[part.component] += part.count;
  return counts;
}

TEST(Workload, StatesAllComponents) {
  const std::int64_t layers = llama_config("tiny").layers;
  const auto full = counts(training_point("full"));
  EXPECT_EQ(full.at("products"), 3 * (7 * layers + kLossChunks));
  EXPECT_EQ(full.at("attention"), layers);
  EXPECT_EQ(full.at("normalisations"), 2 * layers + 1);
  EXPECT_EQ(full.at("elementwise operations"), 5 * layers);
  EXPECT_EQ(full.at("gradients"), 2);
  EXPECT_EQ(full.at("loss"), kLossChunks);
  EXPECT_EQ(full.at("optimiser"), 1);
  const auto lora = counts(training_point("lora"));
  EXPECT_EQ(lora.at("products"), 2 * (7 * layers + kLossChunks) - 3);
  EXPECT_EQ(lora.at("adapters"), 3 * 12 * layers - 2 + 6 * layers);
  Point recomputed = training_point("full");
  recomputed["checkpointing"] = true;
  const auto again = counts(recomputed);
  EXPECT_EQ(again.at("attention"), 2 * layers);
  EXPECT_EQ(again.at("normalisations"), 4 * layers + 1);
  EXPECT_EQ(again.at("loss"), kLossChunks);
  const auto tuned = counts(training_point("full", "tuned"));
  EXPECT_EQ(tuned.at("loss"), 1);
  EXPECT_EQ(tuned.at("gradients"), 1);  // the loss is scaled, not they
}

TEST(Workload, FollowsTheWidthOfAStep) {
  Point varying = training_point("lora");
  varying["sequence"] = std::int64_t{0};
  varying["pad_multiple"] = std::int64_t{1};
  EXPECT_TRUE(finetuning_workload(varying).empty());
  const Workload at = finetuning_workload(with_width(varying, kStepWidth)),
                 fixed = finetuning_workload(training_point("lora"));
  ASSERT_EQ(at.size(), fixed.size());
  for (std::size_t i = 0; i < at.size(); ++i) {
    EXPECT_TRUE(at[i].has_row_of(fixed[i]));
    EXPECT_EQ(at[i].count, fixed[i].count);
  }
}

/// Sums in a forward pass by the elements of a token: residual ones, and those of adapters.
TEST(Workload, SumsAreThoseOfAForwardPass) {
  const LlamaConfig config = llama_config("tiny");
  const std::map<std::string, std::int64_t> widths{
      {"dim", config.dim}, {"kv", config.kv_heads * config.head_dim()}, {"ffn", config.ffn_dim}};
  for (const Method method : {Method::lora, Method::full}) {
    std::map<std::int64_t, std::int64_t> stated, seen;
    for (const WorkloadPart& part :
         finetuning_workload(training_point(method == Method::lora ? "lora" : "full"))) {
      if (part.benchmark == "micro/elementwise" &&
          part.point.text("operation").find("add") != std::string::npos)
        stated[widths.at(part.point.text("width"))] += part.count;
    }
    Llama model = make_method_model(method, config, torch::TensorOptions());
    const torch::NoGradGuard no_grad;
    const auto tokens = torch::randint(config.vocab_size, {kStepRows, kStepWidth}, torch::kLong);
    for (const test::CalledOperator& called :
         test::called_operators([&] { model->forward(tokens); })) {
      if (called.name == "aten::add" && called.sizes.size() == 2 && called.sizes[0].size() == 3)
        ++seen[called.sizes[0].back()];
    }
    EXPECT_EQ(stated, seen);
  }
}

TEST(Workload, TheOptimiserHasWhatIsTrained) {
  for (const Method method : {Method::lora, Method::full}) {
    const Llama model = make_method_model(method, llama_config("tiny"), torch::TensorOptions());
    std::int64_t parameters = 0, tensors = 0;
    for (const torch::Tensor& one : model->parameters()) {
      if (!one.requires_grad()) continue;
      parameters += one.numel();
      ++tensors;
    }
    const Workload workload =
        finetuning_workload(training_point(method == Method::lora ? "lora" : "full"));
    EXPECT_EQ(workload.back().benchmark, "micro/optimizer");
    EXPECT_EQ(workload.back().point.integer("parameters"), parameters);
    EXPECT_EQ(workload.back().point.integer("tensors"), tensors);
  }
}

/// Elements of the trained tensors of each layer, and of each part outside of them.
std::map<std::string, std::int64_t> trained_by_unit(Method method) {
  const Llama model = make_method_model(method, llama_config("tiny"), torch::TensorOptions());
  std::map<std::string, std::int64_t> elements;
  for (const auto& item : model->named_parameters()) {
    if (!item.value().requires_grad()) continue;
    const std::string& name = item.key();  // "layers.3.attn...", "norm.weight"
    const std::size_t from = name.starts_with("layers.") ? 7 : 0;
    elements[name.substr(0, name.find('.', from))] += item.value().numel();
  }
  return elements;
}

TEST(Workload, AShardedOptimiserHasAPartOfEachLayer) {
  for (const Method method : {Method::lora, Method::full}) {
    const std::map<std::string, std::int64_t> units = trained_by_unit(method);
    for (const std::int64_t ranks : {1, 2, 7}) {
      Point point = training_point(method == Method::lora ? "lora" : "full");
      point["parallel"] = std::string("fsdp");
      point["ranks"] = ranks;
      std::int64_t parameters = 0;
      for (const auto& [unit, elements] : units) parameters += (elements + ranks - 1) / ranks;
      const WorkloadPart optimiser = finetuning_workload(point).back();
      EXPECT_EQ(optimiser.point.integer("parameters"), parameters);
      EXPECT_EQ(optimiser.point.integer("tensors"), std::ssize(units));
    }
  }
}

TEST(Workload, MessagesCarryAllGradients) {
  for (const Method method : {Method::lora, Method::full}) {
    const Llama model = make_method_model(method, llama_config("tiny"), torch::TensorOptions());
    std::int64_t trained = 0, sent = 0;
    for (const torch::Tensor& one : model->parameters())
      trained += one.requires_grad() ? static_cast<std::int64_t>(one.nbytes()) : 0;
    Point point = training_point(method == Method::lora ? "lora" : "full");
    EXPECT_TRUE(step_communication(point).empty());
    point["parallel"] = std::string("ddp");
    for (const WorkloadPart& part : step_communication(point)) {
      EXPECT_EQ(part.benchmark, "micro/allreduce");
      EXPECT_LE(part.point.integer("bytes"), 25 << 20);
      sent += part.point.integer("bytes");
    }
    EXPECT_EQ(sent, trained);
  }
}

/// Ranks such that wholes of all kinds are rounded up.
Point sharded_point(const std::string& method, std::int64_t ranks, bool reshard) {
  Point point = training_point(method);
  point["parallel"] = std::string("fsdp");
  point["ranks"] = ranks;
  point["accumulation"] = std::int64_t{2};
  point["reshard"] = reshard;
  return point;
}

/// The messages are made from shapes alone; the traffic is that of a model with values.
TEST(Workload, ShardedMessagesAreTheTrafficOfAStep) {
  for (const std::string& method : method_names()) {
    if (method == "qlora") continue;  // "tiny" has no whole blocks of NF4
    const Llama model =
        make_method_model(parse_method(method), llama_config("tiny"), torch::TensorOptions());
    for (const std::int64_t ranks : {1, 3, 64}) {
      for (const bool reshard : {true, false}) {
        const Point point = sharded_point(method, ranks, reshard);
        torch_support::FsdpTraffic sent;
        for (const WorkloadPart& part : step_communication(point)) {
          const std::int64_t bytes = part.point.integer("bytes");
          const auto count = static_cast<std::uint64_t>(part.count);
          if (part.benchmark == "micro/allgather") {
            sent.gathers += count;
            sent.gathered_bytes += count * static_cast<std::uint64_t>(bytes * (ranks - 1));
          } else if (part.benchmark == "micro/reduce_scatter") {
            EXPECT_EQ(bytes % ranks, 0);
            sent.reductions += count;
            sent.reduced_bytes += count * static_cast<std::uint64_t>(bytes / ranks * (ranks - 1));
          } else {
            EXPECT_EQ(part.component, "gradients' norm");
          }
        }
        EXPECT_EQ(sent, expected_traffic(model, traffic_request(point)))
            << method << " " << ranks << " " << reshard;
      }
    }
  }
}

TEST(Workload, ShardedMessagesNeedNoMemory) {
  Point point = sharded_point("qlora", 64, true);
  point["model"] = std::string("8b");
  point["precision"] = std::string("bf16");
  std::int64_t gathered = 0;
  for (const WorkloadPart& part : step_communication(point)) {
    if (part.benchmark == "micro/allgather")
      gathered += part.count * part.point.integer("bytes") * point.integer("ranks");
  }
  // 4 bits of each of 32 layers' 218 million weights, forward and backward, in two micro-batches;
  // and embedding and head of 128,256 x 4,096 in 16 bits, forward.
  const double layers = 32 * 218'103'808.0 / 2, root = 2 * 2 * 128'256 * 4'096.0;
  EXPECT_NEAR(static_cast<double>(gathered) / (2 * (2 * layers + root)), 1, 0.05);
}

TEST(Workload, StatesNothingWhereTheRowsVary) {
  for (const auto& [axis, value] : std::map<std::string, Value>{{"pad_multiple", std::int64_t{1}},
                                                                {"sequence", std::int64_t{0}}}) {
    Point point = training_point("lora");
    point[axis] = value;
    EXPECT_TRUE(finetuning_workload(point).empty()) << axis;
  }
  EXPECT_TRUE(finetuning_workload(training_point("dpo", "tuned")).empty());
  Point packed = training_point("lora");
  packed["pad_multiple"] = std::int64_t{1};
  packed["packed"] = true;
  EXPECT_FALSE(finetuning_workload(packed).empty());
}

}  // namespace
}  // namespace scalemark::llm
