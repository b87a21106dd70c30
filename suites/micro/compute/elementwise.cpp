// SPDX-License-Identifier: Apache-2.0
// Elementwise operations of a Llama3 layer: SwiGLU, rotary positions, residual sums and sums of
// adapters.
#include <torch/types.h>

#include "common/core/benchmark.hpp"
#include "common/torch/setup.hpp"
#include "suites/llm/model/fused_ops.hpp"
#include "suites/llm/model/llama.hpp"
#include "suites/micro/compute/cache_state.hpp"
#include "suites/micro/compute/operation.hpp"

namespace scalemark::micro {
namespace {

/// silu(gate) * up over the width of the feed-forward layer.
Operation swiglu(const at::Tensor& gate, const at::Tensor& up, bool fused) {
  return {.inputs = {gate, up},
          .forward =
              [fused](const Tensors& in) {
                return fused ? llm::fused_swiglu(in[0], in[1]) : at::silu(in[0]) * in[1];
              },
          .formula = [](const Tensors& in,
                        const at::Tensor&) { return in[0] / (1 + (-in[0]).exp()) * in[1]; }};
}

/// Pairs of elements as complex numbers times exp(i position frequency).
Operation rotary(const at::Tensor& x_bshe, const llm::LlamaConfig& config, bool fused) {
  const auto table = [&](at::ScalarType type) {
    return llm::rotation_table(config, x_bshe.size(1), x_bshe.options().dtype(type));
  };
  const at::Tensor rotation = table(x_bshe.scalar_type());
  const at::Tensor wide = rotation.to(at::kComplexDouble);
  return {.inputs = {x_bshe},
          .forward =
              [=](const Tensors& in) {
                return fused ? llm::fused_rotate(in[0], rotation)
                             : llm::rotate_by_operators(in[0], rotation);
              },
          .formula =
              [=](const Tensors& in, const at::Tensor&) {
                const at::Tensor pairs = at::view_as_complex(in[0].unflatten(-1, {-1, 2}));
                return at::view_as_real(pairs * wide).flatten(-2);
              }};
}

constexpr double kScale = 2;  ///< of an adapter: alpha 16 over rank 8

/// x + y, or x + kScale y.
Operation sum(const at::Tensor& x, const at::Tensor& y, bool scaled) {
  return {
      .inputs = {x, y},
      .forward = [scaled](const Tensors& in) { return in[0] + (scaled ? in[1] * kScale : in[1]); },
      .formula = [scaled](const Tensors& in,
                          const at::Tensor&) { return in[0] + in[1] * (scaled ? kScale : 1.0); }};
}

/// Elements of a token: of its state, its keys, or its feed-forward layer.
std::int64_t width_of(const Point& p, const llm::LlamaConfig& config) {
  const std::string& width = p.text("width");
  if (width == "ffn") return config.ffn_dim;
  return width == "kv" ? config.kv_heads * config.head_dim() : config.dim;
}

Operation operation_of(const Point& p, const at::TensorOptions& options) {
  const llm::LlamaConfig config = llm::llama_config(p.text("model"));
  const std::int64_t tokens = p.integer("tokens");
  const bool fused = p.flag("fused");
  const auto random = [&](std::initializer_list<std::int64_t> shape) {
    return torch::randn(shape, options).requires_grad_();
  };
  if (p.text("operation") == "swiglu")
    return swiglu(random({tokens, config.ffn_dim}), random({tokens, config.ffn_dim}), fused);
  const std::int64_t width = width_of(p, config);
  if (p.text("operation") == "rotary")
    return rotary(random({1, tokens, width / config.head_dim(), config.head_dim()}), config, fused);
  return sum(random({tokens, width}), random({tokens, width}), p.text("operation") == "scaled_add");
}

/// Widths that an operation has in a layer; fused or not, where that makes a difference.
bool is_elementwise_sensible(const Point& p) {
  const std::string &operation = p.text("operation"), &width = p.text("width");
  if (operation == "swiglu") return width == "dim";
  if (operation == "rotary") return width != "ffn";
  return p.flag("fused") == (operation == "add");
}

/// Rotary positions have one input, all others two.
OperationWork elementwise_work(const Point& p) {
  const llm::LlamaConfig config = llm::llama_config(p.text("model"));
  const std::string& operation = p.text("operation");
  const double result = static_cast<double>(p.integer("tokens")) *
                        static_cast<double>(operation == "swiglu" ? config.ffn_dim
                                                                  : width_of(p, config)),
               inputs = (operation == "rotary" ? 1 : 2) * result;
  return {.bytes = element_bytes(p.text("precision")) *
                   operation_bytes(inputs, result, inputs, p.text("pass") == "train")};
}

void elementwise(Case& c) {
  torch_support::run_body(
      [&] { measure_operation(c, operation_of(c.result().params, prepare_operation(c))); });
}

SCALEMARK_BENCHMARK("micro/elementwise", elementwise)
    .doc("Elementwise operations of a Llama3 layer, with their gradients or not")
    .axis("operation", {.values = {"swiglu", "rotary", "add", "scaled_add"},
                        .defaults = {"swiglu", "rotary", "add"},
                        .doc = "SwiGLU, rotary positions, a sum, or one with a scaled adapter"})
    .axis("pass", {.values = {"forward", "train"}})
    .axis("model", {.values = llm::llama_names(), .defaults = {"1b"}, .defaults_with_gpu = {"8b"}})
    .axis_integer("tokens", {.minimum = 1,
                             .maximum = 8192,
                             .defaults = "256,2048",
                             .quick = "256",
                             .doc = "Tokens of one sequence",
                             .unit = "{token}"})
    .axis("width", {.values = {"dim", "kv", "ffn"},
                    .defaults = {"dim"},
                    .implied = "dim",
                    .doc = "Elements of a token: of the state, the keys, the feed-forward layer"})
    .axis_boolean("fused",
                  {.defaults = {true},
                   .implied = true,
                   .doc = "One function with its own gradient, as mode=tuned trains with it"})
    .axis("precision", {.values = {"fp64", "fp32", "bf16", "fp16"}, .defaults = {"fp32"}})
    .with(cache_axis)
    .compute_axes()
    .adjust([](Point& p) {
      if (p.text("operation") == "scaled_add") p["fused"] = false;  // there is no other
    })
    .rank_local()
    .where(is_elementwise_sensible)
    .operation_work(elementwise_work)
    .memory([](const Point& p) {
      const llm::LlamaConfig config = llm::llama_config(p.text("model"));
      return operation_memory(5.0 * static_cast<double>(p.integer("tokens") * config.ffn_dim),
                              p.text("precision"));
    })
    .needs("LibTorch");

}  // namespace
}  // namespace scalemark::micro
