// SPDX-License-Identifier: Apache-2.0
// From the layers of Llama3 to the rows that measure their operations.
#include "suites/llm/train/workload.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "suites/llm/model/config.hpp"
#include "suites/llm/model/loss.hpp"
#include "suites/llm/train/method.hpp"
#include "suites/llm/train/sharded_traffic.hpp"

namespace scalemark::llm {
namespace {

constexpr std::string_view kProducts = "products";

bool has_known_rows(const Point& training) {
  return training.integer("sequence") > 0 &&
         (training.flag("packed") ||
          training.integer("pad_multiple") == training.integer("sequence"));
}

bool is_tuned(const Point& training) { return training.text("mode") == "tuned"; }

/// Only tokens in the loss meet the head (fused_loss_sum).
bool skips_masked(const Point& training) {
  return is_tuned(training) && training.text("device") == "cpu";
}

/// Flash attention of the sequences in a packed row, each by itself.
bool attends_by_sequence(const Point& training) {
  return is_tuned(training) && training.flag("packed") && training.text("device") == "cuda" &&
         training.text("precision") == "bf16";
}

/// Collects the parts of a step.
class Step {
 public:
  explicit Step(const Point& training)
      : training_(training),
        config_(llama_config(training.text("model"))),
        method_(parse_method(training.text("method"))),
        lora_(trains_adapters(method_)),
        tuned_(is_tuned(training)),
        sharded_(training.text("parallel") == "fsdp"),
        recomputed_(training.flag("checkpointing") ? 1 : 0),
        reference_(compares_answers(method_) ? 1 : 0),
        batch_(training.integer("batch") * (1 + reference_)),
        width_(std::min(training.integer("sequence"), config_.max_seq_len)) {}

  Workload parts() {
    add_layers();
    add_head();
    Point embedding = with_gradients();
    embedding["model"] = training_.text("model");
    embedding["tokens"] = batch_ * width_;
    if (lora_) embedding["pass"] = std::string("forward");
    add_operation("embedding", "micro/embedding", embedding, 1, reference_);
    for (WorkloadPart& part : parts_) part.count *= training_.integer("accumulation");
    add_optimiser();
    return std::move(parts_);
  }

 private:
  Point with_gradients() const {
    Point point = axes_of_rows(training_);
    point["pass"] = std::string("train");
    return point;
  }

  void add(std::string_view component, const char* benchmark, Point point, std::int64_t count) {
    if (count > 0) parts_.push_back({std::string(component), benchmark, std::move(point), count});
  }

  /// With its gradients, or as axis `pass` says, and `more` times without.
  void add_operation(std::string_view component, const char* benchmark, Point point,
                     std::int64_t count, std::int64_t more) {
    add(component, benchmark, point, count);
    point["pass"] = std::string("forward");
    add(component, benchmark, point, count * more);
  }

  /// Products of one shape in all layers, as add_products().
  void add_layer_products(const char* shape, std::int64_t forward, std::int64_t back) {
    const std::int64_t tokens = batch_ * width_, more = recomputed_ + reference_;
    if (is_quantised(shape))
      add_quantised(shape, tokens, forward, back, more);
    else
      add_products(shape, tokens, forward * (1 + more), back, lora_ ? 0 : forward);
  }

  bool is_quantised(std::string_view shape) const {
    if (method_ == Method::qlora) return shape != "head";
    const std::int64_t inputs = shape == "feed_forward" ? config_.ffn_dim : config_.dim;
    return method_ == Method::qat && inputs % kQatGroup == 0;
  }

  /// Layers that are no plain products: `back` with their gradients, and the forward pass `more`
  /// times again. Their weights were written just before the product, so they are in the caches.
  void add_quantised(const char* shape, std::int64_t rows, std::int64_t forward, std::int64_t back,
                     std::int64_t more) {
    Point point = with_gradients();
    point["kind"] = std::string(method_ == Method::qlora ? "nf4" : "fake_quant");
    point["shape"] = std::string(shape);
    point["model"] = training_.text("model");
    point["rows"] = rows;
    point["fused"] = tuned_;
    add(kProducts, "micro/quantized_linear", point, back);
    point["pass"] = std::string("forward");
    add(kProducts, "micro/quantized_linear", point, forward * (1 + more) - back);
  }

  /// Products of one shape: of the forward pass, of gradients of inputs, and of weights.
  void add_products(const char* shape, std::int64_t rows, std::int64_t forward, std::int64_t back,
                    std::int64_t trained, std::string_view component = kProducts) {
    const auto one = [&](const char* product, std::int64_t count) {
      Point point = axes_of_rows(training_);
      point["shape"] = std::string(shape);
      point["model"] = training_.text("model");
      point["rows"] = rows;
      point["product"] = std::string(product);
      // A pass uses each weight of the model once, and all of them are more than caches hold.
      if (component == kProducts && std::string_view(product) != "weight_gradient" &&
          training_.text("device") == "cpu")
        point["cache"] = std::string("cold");
      add(component, "micro/gemm", point, count);
    };
    one("forward", forward);
    one("input_gradient", back);
    one("weight_gradient", trained);
  }

  /// Adapters of all matrices but the keys', as LoraConfig has them.
  void add_adapters() {
    const std::int64_t layers = config_.layers;
    const auto of = [&](const char* shape, std::int64_t each, std::int64_t without_gradient) {
      const std::int64_t all = each * layers;
      add_products(shape, batch_ * width_, all * (1 + recomputed_), all - without_gradient, all,
                   "adapters");
    };
    // The first layer's input needs no gradient: its queries and values have it.
    of("adapter_down", 5, 2);
    of("adapter_down_wide", 1, 0);
    of("adapter_up", 3, 0);
    of("adapter_up_narrow", 1, 0);
    of("adapter_up_wide", 2, 0);
  }

  void add_elementwise(const std::string& operation, std::int64_t count, std::int64_t more,
                       const char* width = "dim",
                       const char* component = "elementwise operations") {
    Point point = with_gradients();
    point["operation"] = operation;
    point["model"] = training_.text("model");
    point["tokens"] = batch_ * width_;
    point["width"] = std::string(width);
    point["fused"] = operation == "add" || (tuned_ && operation != "scaled_add");
    add_operation(component, "micro/elementwise", point, count, more);
  }

  /// Gradients that autograd adds up, where more than one operation takes the same tensor: a
  /// layer's input (residual sum and norm), the output of each norm, and what adapters read beside
  /// products. A row of `add` is one addition also with its gradients, which it hands on as they
  /// are.
  void add_gradient_sums() {
    // Queries, keys and values; gate and up. All but keys have an adapter, as have the attention's
    // output and the last product of a feed-forward layer.
    const std::int64_t layers = config_.layers, attention = lora_ ? 4 : 2, residual = 1,
                       others = residual + (lora_ ? 3 + 1 : 1);
    // The first layer's input needs no gradient unless the embedding is trained.
    const std::int64_t backward = lora_ ? layers - 1 : layers;
    add_gradient_sum("dim", backward * (attention + residual) + layers * others);
    if (lora_) add_gradient_sum("ffn", layers);
  }

  void add_gradient_sum(const char* width, std::int64_t count) {
    add_elementwise("add", count, 0, width, "sums of gradients");
  }

  /// Of products and what their adapters add; mode=tuned scales before the adapter's second
  /// product.
  void add_sum(const char* width, std::int64_t count) {
    add_elementwise(tuned_ ? "add" : "scaled_add", count, recomputed_, width, "adapters");
  }

  void add_layers() {
    const std::int64_t layers = config_.layers, more = recomputed_ + reference_;
    // The first layer's input needs no gradient unless the embedding is trained.
    const std::int64_t first = lora_ ? 1 : 0;
    add_layer_products("query", 2 * layers, 2 * layers - first);
    add_layer_products("key_value", 2 * layers, 2 * (layers - first));
    add_layer_products("gate", 2 * layers, 2 * layers);
    add_layer_products("feed_forward", layers, layers);
    if (lora_) {
      add_adapters();
      add_sum("dim", 3 * layers);
      add_sum("kv", layers);
      add_sum("ffn", 2 * layers);
    }
    add_operation("attention", "micro/attention", attention(), layers, more);
    Point norm = with_gradients();
    norm["kind"] = std::string("rms");
    norm["channels"] = config_.dim;
    norm["rows"] = batch_ * width_;
    norm["layout"] = std::string("nhwc");
    add_operation("normalisations", "micro/normalization", norm, 2 * layers, more);
    add_operation("normalisations", "micro/normalization", norm, 1, reference_);  // the last
    add_elementwise("swiglu", layers, more);
    add_elementwise("rotary", layers, more);
    add_elementwise("rotary", layers, more, "kv");
    add_elementwise("add", 2 * layers, more);
    add_gradient_sums();
  }

  /// As many sequences of their mean length as a packed row holds, else whole rows.
  Point attention() const {
    Point point = with_gradients();
    const std::int64_t sequence =
        attends_by_sequence(training_)
            ? std::clamp<std::int64_t>(training_.integer(kStepSequence), 1, width_)
            : width_;
    point["model"] = training_.text("model");
    point["batch"] = (batch_ * width_ + sequence / 2) / sequence;
    point["sequence"] = sequence;
    point["fused"] =
        tuned_ || training_.text("device") == "cpu" || training_.text("precision") != "bf16";
    return point;
  }

  /// Tokens that go through head and loss.
  std::int64_t head_tokens() const {
    return skips_masked(training_) ? training_.integer(kStepLabels) : batch_ * width_;
  }

  /// So many of them together.
  std::int64_t head_rows() const {
    if (reference_ > 0) return batch_ * width_;
    return tuned_ ? kLossRows : batch_ * ((width_ + kLossChunks - 1) / kLossChunks);
  }

  /// The last part may be smaller than the others.
  void add_head() {
    const std::int64_t rows = head_rows(), tokens = head_tokens();
    add_head_parts(rows, tokens / rows);
    if (tokens % rows > 0) add_head_parts(tokens % rows, 1);
  }

  /// Head and loss of so many tokens, so often.
  void add_head_parts(std::int64_t rows, std::int64_t parts) {
    // Tuned, the head's weights are quantised once for all parts, for which there is no row.
    if (!tuned_ && is_quantised("head"))
      add_quantised("head", rows, parts, parts, 0);
    else
      add_products("head", rows, parts * (1 + reference_), parts, lora_ ? 0 : parts);
    Point loss = with_gradients();
    if (training_.text("precision") != "fp64") loss["precision"] = std::string("fp32");
    loss["vocabulary"] = config_.vocab_size;
    loss["tokens"] = rows;
    if (reference_ > 0) loss["kind"] = std::string("sequence");
    add_operation("loss", "micro/cross_entropy", loss, parts, reference_);
  }

  /// What the optimiser of one rank steps.
  ShardedParts stepped() const {
    if (sharded_) return trained_parts(model_shapes(training_), training_.integer("ranks"));
    if (!lora_) {
      const ParameterCounts all = count_parameters(config_);
      return {all.total, all.tensors};
    }
    const LoraConfig adapters;
    return {config_.layers * count_lora_parameters(config_, adapters),
            config_.layers * 2 * static_cast<std::int64_t>(adapters.modules.size())};
  }

  void add_optimiser() {
    if (training_.text("precision") == "bf16") return;  // micro/optimizer has none
    const ShardedParts parts = stepped();
    Point point = axes_of_rows(training_);
    point["parameters"] = parts.elements;
    point["tensors"] = parts.tensors;
    const auto one = [&](const char* component, const char* kind) {
      point["kind"] = std::string(kind);
      parts_.push_back({component, "micro/optimizer", point, 1, StepPhase::update});
    };
    one("gradients", "gradient_norm");
    // Tuned, the loss is scaled; that of answers is a mean already.
    if (!tuned_ && reference_ == 0) one("gradients", "gradient_scale");
    one("optimiser", "adamw");
  }

  const Point& training_;
  LlamaConfig config_;
  Method method_;
  bool lora_, tuned_, sharded_;
  /// Passes without gradients beside that with, 0 or 1: of layers whose activations are recomputed,
  /// and of the model that answers are compared with.
  std::int64_t recomputed_, reference_;
  std::int64_t batch_, width_;
  Workload parts_;
};

}  // namespace

std::string why_unknown_operations(const Point& point) {
  // Tuned, only answers without their prompts meet the head.
  if (compares_answers(parse_method(point.text("method"))) && is_tuned(point))
    return "mode=tuned computes the answers' tokens only, and how many is not recorded";
  if (point.flag("offload")) return "offload=true has its optimiser on the host";
  const auto* const vocabulary = point.find_as<std::int64_t>(kVocabularyFact);
  if (vocabulary != nullptr && *vocabulary != llama_config(point.text("model")).vocab_size)
    return fmt::format("its tokenizer has {} tokens, which is not the model's vocabulary",
                       *vocabulary);
  const auto lacks = [&](const char* metric) { return point.find(metric) == nullptr; };
  if (skips_masked(point) && lacks(kStepLabels))
    return fmt::format("mode=tuned computes tokens in the loss only, and it has no {}",
                       kStepLabels);
  if (attends_by_sequence(point) && lacks(kStepSequence))
    return fmt::format("its rows hold several sequences, and it has no {}", kStepSequence);
  return {};
}

Workload finetuning_workload(const Point& point) {
  if (!has_known_rows(point)) return {};
  return Step(point).parts();
}

Point with_width(Point training, std::int64_t width) {
  training["sequence"] = width;
  training["pad_multiple"] = width;
  return training;
}

}  // namespace scalemark::llm
