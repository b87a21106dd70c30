// SPDX-License-Identifier: Apache-2.0
// The operations that a fine-tuning states, against those that LibTorch sees in a step of it.
#include "suites/llm/train/workload.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <torch/utils.h>

#include "suites/llm/model/config.hpp"
#include "suites/llm/model/loss.hpp"
#include "suites/llm/train/forecast.hpp"
#include "suites/llm/train/method.hpp"
#include "suites/llm/train/objective.hpp"
#include "suites/llm/train/sharded_traffic.hpp"
#include "suites/llm/train/step.hpp"
#include "tests/suites/llm/training_point.hpp"
#include "tests/support/called_operators.hpp"

namespace scalemark::llm {
namespace {

/// Parts of the rows in a batch, the three sizes of a product in ascending order, and how often
/// there is one.
using Products = std::map<std::pair<std::int64_t, std::array<std::int64_t, 3>>, std::int64_t>;

void count_product(Products& products, std::int64_t batch, std::array<std::int64_t, 3> sizes,
                   std::int64_t times) {
  std::ranges::sort(sizes);
  products[{batch, sizes}] += times;
}

/// Products in one such row: forward, or backward that of the input and of trained weights.
std::int64_t products_in(const WorkloadPart& part) {
  if (part.benchmark == "micro/gemm") return 1;
  if (part.benchmark != "micro/quantized_linear") return 0;
  return part.point.text("pass") == "backward" && part.point.text("kind") != "nf4" ? 2 : 1;
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
    count_product(products, part.point.integer("batch", 1), {part.point.integer("rows"), in, out},
                  each * part.count);
  }
  return products;
}

/// All labels are in the loss, or the second part of each row.
Examples some_examples(const Point& training, std::int64_t vocabulary) {
  const std::int64_t width = training.integer("sequence"),
                     masked = training.integer(kStepLabels, kTextRows * width) < kTextRows * width
                                  ? width - training.integer(kStepLabels) / kTextRows
                                  : 0;
  Examples examples;
  examples.tokens_bs = torch::randint(vocabulary, {kTextRows, width}, torch::kLong);
  examples.shifted_bs = examples.tokens_bs.roll(-1, 1);
  examples.shifted_bs.slice(1, 0, masked).fill_(kMasked);
  examples.labels = kTextRows * (width - masked);
  if (compares_answers(parse_method(training.text("method")))) examples.pairs = kTextRows / 2;
  return examples;
}

/// What LibTorch calls in a step of this training.
std::vector<test::CalledOperator> called_in(const Point& training) {
  torch::manual_seed(1);
  const LlamaConfig config = llama_config("tiny");
  const Method method = parse_method(training.text("method"));
  const bool tuned = training.text("mode") == "tuned";
  Llama model = make_method_model(method, config, torch::TensorOptions());
  model->train();
  model->checkpoint_layers(training.flag("checkpointing"));
  model->fuse(tuned);
  const auto parallelism = training.flag("graphs") ? make_replicas({}) : make_single();
  parallelism->add(model);
  Finetuner finetuner(model, {}, *parallelism, make_objective(method, model, tuned));
  const std::vector micro_batches(static_cast<std::size_t>(training.integer("accumulation")),
                                  some_examples(training, config.vocab_size));
  return test::called_operators(
      [&] { finetuner.step(micro_batches, finetuner.objective().count(micro_batches.front())); });
}

/// Products of two matrices in a step.
Products seen(const Point& training) {
  Products products;
  for (const test::CalledOperator& called : called_in(training)) {
    const bool adds = called.name == "aten::addmm_";
    if (called.name != "aten::mm" && called.name != "aten::bmm" && !adds) continue;
    // The matrices of a batch are one frozen weight.
    const std::vector<std::int64_t>&a = called.sizes.at(adds ? 1 : 0),
          &b = called.sizes.at(adds ? 2 : 1);
    const std::int64_t rows =
        std::accumulate(a.begin(), a.end() - 1, std::int64_t{1}, std::multiplies());
    count_product(products, a.size() == 3 ? a[0] : 1, {rows, a.back(), b.back()}, 1);
  }
  return products;
}

class EachMethod : public testing::TestWithParam<std::string> {};

TEST_P(EachMethod, ProductsAreThoseOfAStep) {
  Point point = training_point(GetParam());
  if (compares_answers(parse_method(GetParam()))) point["batch"] = kTextRows / 2;
  EXPECT_EQ(stated(point), seen(point));
  point["accumulation"] = std::int64_t{2};
  EXPECT_EQ(stated(point), seen(point));
  point["checkpointing"] = true;
  EXPECT_EQ(stated(point), seen(point));
}

TEST(Workload, TheHeadsPartsOfUnequalSizeAreThoseOfAStep) {
  for (const std::string method : {"full", "lora"}) {
    for (const std::int64_t width : {61, 17}) {
      const Point point = with_width(training_point(method), width);
      EXPECT_EQ(stated(point), seen(point)) << method << " " << width;
    }
  }
}

/// On a CPU the head of mode=tuned computes tokens in the loss only, 256 at a time.
TEST(Workload, TunedTheHeadHasTheTokensInTheLoss) {
  for (const std::string method : {"full", "lora"}) {
    Point point = with_width(training_point(method, "tuned"), 160);
    for (const std::int64_t labels : {320, 90, 256}) {
      point[kStepLabels] = labels;
      EXPECT_EQ(stated(point), seen(point)) << method << " " << labels;
    }
  }
}

/// Operations of each component; those of single products also backward.
std::map<std::string, std::int64_t> counts(const Point& point) {
  std::map<std::string, std::int64_t> counts;
  for (const WorkloadPart& part : finetuning_workload(point)) {
    if (part.point.text("pass", "") != "backward") counts[part.component] += part.count;
  }
  return counts;
}

/// Calls of an operator in a step, and the operations that have one each.
TEST(Workload, OtherOperationsAreThoseOfAStep) {
  for (const std::string method : {"full", "lora", "dpo"}) {
    Point point = training_point(method);
    if (method == "dpo") point["batch"] = kTextRows / 2;
    point["checkpointing"] = true;
    std::map<std::string, std::int64_t> seen;
    for (const test::CalledOperator& called : called_in(point)) ++seen[called.name];
    const auto stated = counts(point);
    EXPECT_EQ(stated.at("attention"), seen["aten::scaled_dot_product_attention"]) << method;
    EXPECT_EQ(stated.at("normalisations"), seen["aten::rms_norm"]) << method;
    EXPECT_EQ(stated.at("embedding"), seen["aten::embedding"]) << method;
    EXPECT_EQ(stated.at("loss"),
              method == "dpo" ? seen["aten::log_softmax"] : seen["aten::cross_entropy_loss"])
        << method;
    std::int64_t swiglus = 0;
    for (const WorkloadPart& part : finetuning_workload(point)) {
      if (part.point.text("operation", "") == "swiglu" && part.point.text("pass") != "backward")
        swiglus += part.count;
    }
    EXPECT_EQ(swiglus, seen["aten::silu"]) << method;
  }
}

TEST(Workload, SaysWhyOperationsAreNotKnown) {
  using testing::HasSubstr;
  const Point paper = training_point("full"), tuned = training_point("full", "tuned");
  EXPECT_EQ(why_unknown_operations(paper), "");
  EXPECT_THAT(why_unknown_operations(tuned), HasSubstr("it has no step_labels"));
  const auto with = [](Point point, const char* axis, Value value) {
    point[axis] = std::move(value);
    return point;
  };
  EXPECT_EQ(why_unknown_operations(with(tuned, kStepLabels, std::int64_t{5})), "");
  EXPECT_THAT(why_unknown_operations(training_point("dpo", "tuned")), HasSubstr("answers' tokens"));
  EXPECT_THAT(why_unknown_operations(with(paper, "offload", true)), HasSubstr("offload=true"));
  EXPECT_EQ(why_unknown_operations(with(paper, kVocabularyFact, std::int64_t{4096})), "");
  EXPECT_THAT(why_unknown_operations(with(paper, kVocabularyFact, std::int64_t{128256})),
              HasSubstr("128256 tokens"));
}

/// Flash attention keeps the sequences of a packed row apart.
TEST(Workload, PackedRowsAttendBySequence) {
  Point point = with_width(training_point("lora", "tuned"), 1024);
  point["packed"] = true;
  point["device"] = std::string("cuda");
  point["precision"] = std::string("bf16");
  EXPECT_NE(why_unknown_operations(point), "");
  point[kStepSequence] = std::int64_t{100};
  EXPECT_EQ(why_unknown_operations(point), "");
  const auto attention = [&] {
    const Workload workload = finetuning_workload(point);
    return std::ranges::find(workload, "attention", &WorkloadPart::component)->point;
  };
  EXPECT_EQ(attention().integer("sequence"), 100);
  EXPECT_EQ(attention().integer("batch"), 20) << "2 x 1024 tokens";
  EXPECT_TRUE(attention().flag("fused"));
  point["mode"] = std::string("paper");
  EXPECT_EQ(attention().integer("sequence"), 1024) << "with a mask";
  EXPECT_EQ(attention().integer("batch"), kTextRows);
  EXPECT_FALSE(attention().flag("fused"));
}

INSTANTIATE_TEST_SUITE_P(Methods, EachMethod, testing::ValuesIn(method_names()),
                         [](const auto& method) { return method.param; });

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
  Point fused = training_point("full", "tuned");
  fused[kStepLabels] = kTextRows * kTextWidth;
  const auto tuned = counts(fused);
  EXPECT_EQ(tuned.at("loss"), 1);
  EXPECT_EQ(tuned.at("gradients"), 1);  // the loss is scaled, not they
}

TEST(Workload, FollowsTheWidthOfAStep) {
  Point varying = training_point("lora");
  varying["sequence"] = std::int64_t{0};
  varying["pad_multiple"] = std::int64_t{1};
  EXPECT_TRUE(finetuning_workload(varying).empty());
  const Workload at = finetuning_workload(with_width(varying, kTextWidth)),
                 fixed = finetuning_workload(training_point("lora"));
  ASSERT_EQ(at.size(), fixed.size());
  for (std::size_t i = 0; i < at.size(); ++i) {
    EXPECT_TRUE(at[i].has_row_of(fixed[i]));
    EXPECT_EQ(at[i].count, fixed[i].count);
  }
}

/// Sums of two tensors of so many elements, and how often there is one; those of a parameter's size
/// as well by whether they are in place.
struct Sums {
  std::map<std::int64_t, std::int64_t> activations;
  std::map<std::pair<std::int64_t, bool>, std::int64_t> parameters;
  bool operator==(const Sums&) const = default;
};

Sums stated_sums(const Point& training) {
  const LlamaConfig config = llama_config("tiny");
  const std::map<std::string, std::int64_t> widths{
      {"dim", config.dim}, {"kv", config.kv_heads * config.head_dim()}, {"ffn", config.ffn_dim}};
  const std::int64_t tokens = kTextRows * training.integer("sequence");
  Sums sums;
  for (const WorkloadPart& part : finetuning_workload(training)) {
    const std::string pass = part.point.text("pass", "");
    // On a CPU an RMS normalisation consists of operators, whose gradients are summed, too. Its own
    // row has that.
    if (part.benchmark == "micro/normalization" && pass == "backward")
      sums.activations[tokens * config.dim] += part.count;
    if (part.benchmark != "micro/elementwise" || pass == "backward") continue;
    const std::string& operation = part.point.text("operation");
    const std::int64_t elements = part.point.integer("elements", 0);
    if (elements > 0)
      sums.parameters[{elements, operation == "accumulate"}] += part.count;
    else if (operation == "add" || operation == "scaled_add")
      sums.activations[tokens * widths.at(part.point.text("width"))] += part.count;
  }
  if (trains_adapters(parse_method(training.text("method"))))
    sums.activations[tokens * config.dim] -= training.integer("accumulation");  // the first layer
  return sums;
}

Sums seen_sums(const Point& training) {
  Sums sums;
  for (const test::CalledOperator& called : called_in(training)) {
    const bool in_place = called.name == "aten::add_";
    if ((called.name != "aten::add" && !in_place) || called.sizes.size() != 2) continue;
    const std::vector<std::int64_t>& size = called.sizes[0];
    if (called.sizes[1] != size || size.empty() || size.back() == 1) continue;
    const std::int64_t elements =
        std::accumulate(size.begin(), size.end(), std::int64_t{1}, std::multiplies());
    if (size.size() == 3) ++sums.activations[elements];
    // Pairs of answers have a loss each.
    if (size.size() == 2 || (size.size() == 1 && elements > 2 * kTextRows))
      ++sums.parameters[{elements, in_place}];
  }
  return sums;
}

/// Residual sums, those of adapters, and of gradients.
TEST_P(EachMethod, SumsAreThoseOfAStep) {
  for (const std::string mode : {"paper", "tuned"}) {
    // Operators quantise by sums, too, which its own rows have.
    if (GetParam() == "qat" && mode == "paper") continue;
    Point training = training_point(GetParam(), mode);
    if (compares_answers(parse_method(GetParam()))) training["batch"] = kTextRows / 2;
    training[kStepLabels] = kTextRows * kTextWidth;
    for (const auto& [micro_batches, graphs] : {std::pair(1, false), {3, false}, {2, true}}) {
      training["accumulation"] = std::int64_t{micro_batches};
      training["graphs"] = graphs;  // as the gradients of DDP, they stay in memory of their own
      const Sums stated = stated_sums(training), seen = seen_sums(training);
      EXPECT_EQ(stated.activations, seen.activations) << mode << " " << micro_batches;
      EXPECT_EQ(stated.parameters, seen.parameters) << mode << " " << micro_batches;
    }
  }
}

/// Half of what the training takes, and a layer's part of it.
TEST(Workload, OperationsOfACpuFindInTheCachesWhatAStepLeaves) {
  constexpr std::int64_t kMebi = 1 << 20;
  Point point = training_point("lora");
  const LlamaConfig config = llama_config("tiny");
  const auto all = static_cast<double>(predicted_memory(point, config, kTextWidth));
  std::map<std::string, std::set<std::int64_t>> found;
  for (const WorkloadPart& part : finetuning_workload(point))
    found[part.component].insert(part.point.integer("reuse_distance"));
  const std::int64_t average = *found.at("embedding").begin(),
                     within_layer = *found.at("adapters").begin();
  EXPECT_EQ(average % kMebi + within_layer % kMebi, 0);
  EXPECT_NEAR(static_cast<double>(average), all / 2, all / 8);
  const double of_layer = all / static_cast<double>(config.layers);
  EXPECT_NEAR(static_cast<double>(within_layer), of_layer, of_layer / 4);
  EXPECT_EQ(found.at("products"), (std::set{average, within_layer})) << "layers, and the head";
  for (const char* component : {"attention", "normalisations", "elementwise operations"})
    EXPECT_EQ(found.at(component), (std::set{average, within_layer})) << component;
  for (const char* component : {"adapters", "loss", "sums of gradients"})
    EXPECT_EQ(found.at(component), std::set{within_layer}) << component;
  for (const char* component : {"embedding", "gradients", "optimiser"})
    EXPECT_EQ(found.at(component), std::set{average}) << component;
  const auto distances = [](const Point& training, const std::string& wanted) {
    std::set<std::int64_t> several;
    for (const WorkloadPart& part : finetuning_workload(training)) {
      if (part.component == wanted || part.point.text("shape", "") == wanted)
        several.insert(part.point.integer("reuse_distance"));
    }
    return several;
  };
  // 7 parts of 8 tokens of each row, and one of 5: the one before has used the weight.
  EXPECT_EQ(distances(with_width(point, 61), "head").size(), 1U);
  point["checkpointing"] = true;  // the layer's forward pass has just been repeated
  EXPECT_EQ(distances(point, "attention").size(), 1U);
  point["device"] = std::string("cuda");
  for (const WorkloadPart& part : finetuning_workload(point)) {
    EXPECT_EQ(part.point.find("reuse_distance"), nullptr) << part.component;
    EXPECT_NE(part.point.text("pass", ""), "backward") << part.component;
  }
}

/// Its head is the embedding, which is not quantised.
TEST(Workload, ATiedHeadIsAPlainProduct) {
  for (const auto& [model, benchmark] :
       {std::pair("tiny", "micro/quantized_linear"), {"1b", "micro/gemm"}}) {
    Point point = training_point("qat");
    point["model"] = std::string(model);
    for (const WorkloadPart& part : finetuning_workload(point)) {
      if (part.point.text("shape", "") == "head") {
        EXPECT_EQ(part.benchmark, benchmark) << model;
      }
    }
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

TEST(Workload, StatesNothingWhereTheRowsVary) {
  for (const auto& [axis, value] : std::map<std::string, Value>{{"pad_multiple", std::int64_t{1}},
                                                                {"sequence", std::int64_t{0}}}) {
    Point point = training_point("lora");
    point[axis] = value;
    EXPECT_TRUE(finetuning_workload(point).empty()) << axis;
  }
  Point packed = training_point("lora");
  packed["pad_multiple"] = std::int64_t{1};
  packed["packed"] = true;
  EXPECT_FALSE(finetuning_workload(packed).empty());
}

}  // namespace
}  // namespace scalemark::llm
