// SPDX-License-Identifier: Apache-2.0
// From the layers of Llama3 to the rows that measure their operations.
#include "suites/llm/train/workload.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "suites/llm/model/config.hpp"
#include "suites/llm/model/loss.hpp"

namespace scalemark::llm {
namespace {

constexpr std::string_view kProducts = "products";

bool has_known_rows(const Point& training) {
  const std::string& method = training.text("method");
  return (method == "lora" || method == "full") && training.text("parallel") != "fsdp" &&
         training.integer("accumulation") == 1 && !training.flag("checkpointing") &&
         training.integer("sequence") > 0 &&
         (training.flag("packed") ||
          training.integer("pad_multiple") == training.integer("sequence"));
}

/// Collects the parts of a step.
class Step {
 public:
  explicit Step(const Point& training)
      : training_(training),
        config_(llama_config(training.text("model"))),
        lora_(training.text("method") == "lora"),
        tuned_(training.text("mode") == "tuned"),
        batch_(training.integer("batch")),
        width_(std::min(training.integer("sequence"), config_.max_seq_len)) {}

  Workload parts() {
    add_layers();
    add_head();
    Point embedding = with_gradients();
    embedding["model"] = training_.text("model");
    embedding["tokens"] = batch_ * width_;
    if (lora_) embedding["pass"] = std::string("forward");
    add("embedding", "micro/embedding", embedding, 1);
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

  /// `forward` and `back` products of one shape; weights' gradients where they are trained.
  void add_products(const char* shape, std::int64_t rows, std::int64_t forward, std::int64_t back,
                    bool trained, std::string_view component = kProducts) {
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
    if (trained) one("weight_gradient", forward);
  }

  /// Adapters of all matrices but the keys', as LoraConfig has them.
  void add_adapters(std::int64_t tokens) {
    const std::int64_t layers = config_.layers;
    const auto of = [&](const char* shape, std::int64_t each, std::int64_t without_gradient) {
      add_products(shape, tokens, each * layers, each * layers - without_gradient, true,
                   "adapters");
    };
    // The first layer's input needs no gradient: its queries and values have it.
    of("adapter_down", 5, 2);
    of("adapter_down_wide", 1, 0);
    of("adapter_up", 3, 0);
    of("adapter_up_narrow", 1, 0);
    of("adapter_up_wide", 2, 0);
  }

  void add_elementwise(const std::string& operation, std::int64_t count, const char* width = "dim",
                       const char* component = "elementwise operations") {
    Point point = with_gradients();
    point["operation"] = operation;
    point["model"] = training_.text("model");
    point["tokens"] = batch_ * width_;
    point["width"] = std::string(width);
    point["fused"] = operation == "add" || (tuned_ && operation != "scaled_add");
    add(component, "micro/elementwise", point, count);
  }

  /// Of products and what their adapters add; mode=tuned scales before the adapter's second
  /// product.
  void add_sum(const char* width, std::int64_t count) {
    add_elementwise(tuned_ ? "add" : "scaled_add", count, width, "adapters");
  }

  void add_layers() {
    const std::int64_t tokens = batch_ * width_, layers = config_.layers;
    // The first layer's input needs no gradient unless the embedding is trained.
    const std::int64_t first = lora_ ? 1 : 0;
    add_products("query", tokens, 2 * layers, 2 * layers - first, !lora_);
    add_products("key_value", tokens, 2 * layers, 2 * (layers - first), !lora_);
    add_products("gate", tokens, 2 * layers, 2 * layers, !lora_);
    add_products("feed_forward", tokens, layers, layers, !lora_);
    if (lora_) {
      add_adapters(tokens);
      add_sum("dim", 3 * layers);
      add_sum("kv", layers);
      add_sum("ffn", 2 * layers);
    }
    Point attention = with_gradients();
    attention["model"] = training_.text("model");
    attention["batch"] = batch_;
    attention["sequence"] = width_;
    add("attention", "micro/attention", attention, layers);
    Point norm = with_gradients();
    norm["kind"] = std::string("rms");
    norm["channels"] = config_.dim;
    norm["rows"] = tokens;
    norm["layout"] = std::string("nhwc");
    add("normalisations", "micro/normalization", norm, 2 * layers + 1);
    add_elementwise("swiglu", layers);
    add_elementwise("rotary", layers);
    add_elementwise("rotary", layers, "kv");
    add_elementwise("add", 2 * layers);
  }

  /// The head and the loss go through the tokens in parts.
  void add_head() {
    const std::int64_t tokens = batch_ * width_,
                       part = tuned_ ? std::min(kLossRows, tokens)
                                     : batch_ * ((width_ + kLossChunks - 1) / kLossChunks),
                       parts = tokens / part;
    add_products("head", part, parts, parts, !lora_);
    Point loss = with_gradients();
    if (training_.text("precision") != "fp64") loss["precision"] = std::string("fp32");
    loss["vocabulary"] = config_.vocab_size;
    loss["tokens"] = part;
    add("loss", "micro/cross_entropy", loss, parts);
  }

  void add_optimiser() {
    if (training_.text("precision") == "bf16") return;  // micro/optimizer has none
    const ParameterCounts all = count_parameters(config_);
    const LoraConfig adapters;
    Point point = axes_of_rows(training_);
    point["parameters"] =
        lora_ ? config_.layers * count_lora_parameters(config_, adapters) : all.total;
    point["tensors"] = lora_
                           ? config_.layers * 2 * static_cast<std::int64_t>(adapters.modules.size())
                           : all.tensors;
    for (const char* kind : {"gradient_norm", "gradient_scale"}) {
      if (tuned_ && std::string(kind) == "gradient_scale") continue;  // it scales the loss
      point["kind"] = std::string(kind);
      add("gradients", "micro/optimizer", point, 1);
    }
    point["kind"] = std::string("adamw");
    add("optimiser", "micro/optimizer", point, 1);
  }

  const Point& training_;
  LlamaConfig config_;
  bool lora_, tuned_;
  std::int64_t batch_, width_;
  Workload parts_;
};

}  // namespace

Workload finetuning_workload(const Point& point) {
  if (!has_known_rows(point)) return {};
  return Step(point).parts();
}

}  // namespace scalemark::llm
