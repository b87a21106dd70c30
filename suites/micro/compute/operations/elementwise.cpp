// SPDX-License-Identifier: Apache-2.0
// Elementwise operations of a Llama3 layer, and their formulas.
#include "suites/micro/compute/operations/elementwise.hpp"

#include <memory>

#include <torch/types.h>

#include "suites/llm/model/fused_ops.hpp"
#include "suites/llm/model/llama.hpp"

namespace scalemark::micro {
namespace {

/// silu(gate) * up over the width of the feed-forward layer.
Operation swiglu(const at::Tensor& gate, const at::Tensor& up, bool fused) {
  return {.inputs = {gate, up},
          .forward =
              [fused](const Tensors& in) {
                return fused ? llm::fused_swiglu(in[0], in[1]) : at::silu(in[0]) * in[1];
              },
          .fresh_inputs = 2,
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
      .fresh_inputs = 2,
      .formula = [scaled](const Tensors& in,
                          const at::Tensor&) { return in[0] + in[1] * (scaled ? kScale : 1.0); }};
}

/// y += x and y -= x by turns, as a gradient that has just been computed is added to the ones
/// before it. Of whole numbers, so that y comes back exactly.
Operation accumulation(const at::Tensor& x, const at::Tensor& y) {
  const auto adds = std::make_shared<bool>(false);  // y now has x
  return {.inputs = {x, y},
          .forward =
              [adds](const Tensors& in) {
                *adds = !*adds;
                return in[1].add_(in[0], *adds ? 1 : -1);
              },
          .formula = [adds, first = y.to(at::kDouble, false, /*copy=*/true)](
                         const Tensors& in,
                         const at::Tensor&) { return *adds ? first + in[0] : first; }};
}

/// Elements of a token: of its state, its keys, or its feed-forward layer.
std::int64_t width_of(const Point& p, const llm::LlamaConfig& config) {
  const std::string& width = p.text("width");
  if (width == "ffn" || p.text("operation") == "swiglu") return config.ffn_dim;
  return width == "kv" ? config.kv_heads * config.head_dim() : config.dim;
}

/// Of the result.
std::int64_t elements_of(const Point& p) {
  if (const std::int64_t elements = p.integer("elements"); elements > 0) return elements;
  return p.integer("tokens") * width_of(p, llm::llama_config(p.text("model")));
}

}  // namespace

Operation elementwise_operation(Case& c, const at::TensorOptions& options) {
  const std::string& operation = c.text("operation");
  const auto random = [&](std::initializer_list<std::int64_t> shape) {
    return torch::randn(shape, options).requires_grad_();
  };
  const std::int64_t tokens = c.integer("tokens"), width = elements_of(c.result().params) / tokens;
  if (operation == "rotary") {
    const llm::LlamaConfig config = llm::llama_config(c.text("model"));
    const std::int64_t head = config.head_dim();
    return rotary(random({1, tokens, width / head, head}), config, c.flag("fused"));
  }
  if (operation == "accumulate") {
    const auto whole = [&] { return torch::randint(-3, 4, {tokens, width}, options); };
    return accumulation(whole(), whole());
  }
  const at::Tensor x = random({tokens, width}), y = random({tokens, width});
  return operation == "swiglu" ? swiglu(x, y, c.flag("fused"))
                               : sum(x, y, operation == "scaled_add");
}

OperationWork elementwise_work(const Point& p) {
  const std::string& operation = p.text("operation");
  const double result = static_cast<double>(elements_of(p)),
               inputs = (operation == "rotary" ? 1 : 2) * result;
  const torch_support::Passes passes = passes_of(p);
  double elements = operation_bytes(inputs, result, inputs, passes);
  if (operation == "add" || operation == "accumulate") elements = passes.sum(inputs + result, 0);
  if (operation == "scaled_add")  // from a gradient another one
    elements = passes.sum(inputs + result, 2 * result);
  return {.bytes = element_bytes(p.text("precision")) * elements};
}

std::uint64_t elementwise_memory(const Point& p) {
  return operation_memory(5.0 * static_cast<double>(elements_of(p)), p.text("precision"));
}

}  // namespace scalemark::micro
