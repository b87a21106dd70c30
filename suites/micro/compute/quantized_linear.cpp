// SPDX-License-Identifier: Apache-2.0
// A linear layer of Llama3 as QLoRA and QAT compute it: over weights in NF4, and with weights and
// activations that are rounded to few bits.
#include <torch/types.h>
#include <torch/utils.h>

#include "common/core/benchmark.hpp"
#include "suites/llm/quant/fake_quant.hpp"
#include "suites/llm/quant/nf4.hpp"
#include "suites/llm/train/method.hpp"
#include "suites/micro/compute/gemm_size.hpp"
#include "suites/micro/compute/operation.hpp"

namespace scalemark::micro {
namespace {

/// Initial weights of Llama3.
constexpr double kWeightDeviation = 0.02;

GemmSize layer_size(const Point& p) {
  return gemm_size(p.text("shape"), p.text("model"), p.integer("rows"));
}

Operation nf4_layer(const at::Tensor& x, const at::Tensor& weight, bool fused) {
  const llm::Nf4Tensor stored = llm::quantise_nf4(weight);
  return {.inputs = {x},
          .forward = [=](const Tensors& in) { return llm::nf4_linear(in[0], stored, fused); },
          .formula =
              [=](const Tensors& in, const at::Tensor&) {
                return at::linear(in[0], llm::dequantise_by_operators(stored).to(at::kDouble));
              }};
}

Operation fake_quantised_layer(const at::Tensor& x, const at::Tensor& weight, bool fused) {
  const llm::FakeQuantOptions options{.group = llm::kQatGroup};
  const at::ScalarType type = x.scalar_type();
  return {.inputs = {x, weight.requires_grad_()},
          .forward =
              [=](const Tensors& in) {
                return fused ? llm::fake_quant_linear(in[0], in[1], options)
                             : llm::fake_quant_linear_by_operators(in[0], in[1], options);
              },
          // Rounded in their own type: a code next to it would be another value.
          .formula =
              [=](const Tensors& in, const at::Tensor&) {
                return at::linear(
                    llm::straight_through_tokens(in[0].to(type), options).to(at::kDouble),
                    llm::straight_through_weight(in[1].to(type), options).to(at::kDouble));
              }};
}

/// NF4 takes half a byte for a weight, which is no input with a gradient.
OperationWork quantized_linear_work(const Point& p) {
  const GemmSize size = layer_size(p);
  const bool nf4 = p.text("kind") == "nf4";
  const torch_support::Passes passes = passes_of(p);
  // Forward, of the input, and where weights are trained of these.
  const double products = passes.sum(1, nf4 ? 1 : 2);
  const double element = element_bytes(p.text("precision")),
               x = element * static_cast<double>(size.m) * static_cast<double>(size.k),
               y = element * static_cast<double>(size.m) * static_cast<double>(size.n),
               weight = element * static_cast<double>(size.n) * static_cast<double>(size.k);
  return {.flops = products * size.flops(),
          .bytes = nf4 ? operation_bytes(x, y, x, passes)
                       : operation_bytes(x + weight, y, x + weight, passes)};
}

Operation quantized_linear_operation(Case& c, const at::TensorOptions& options) {
  const GemmSize size = layer_size(c.result().params);
  const at::Tensor x = torch::randn({1, size.m, size.k}, options).requires_grad_(),
                   weight = torch::randn({size.n, size.k}, options) * kWeightDeviation;
  Operation operation = c.text("kind") == "nf4"
                            ? nf4_layer(x, weight, c.flag("fused"))
                            : fake_quantised_layer(x, weight.detach(), c.flag("fused"));
  operation.flop_formula = "2 m n k of each product / time";
  return operation;
}

void quantized_linear(Case& c) {
  run_operation(c, quantized_linear_operation, quantized_linear_work);
}

/// Groups of QAT and blocks of NF4 divide the layer. QAT knows no fp64.
bool divides_evenly(const Point& p) {
  const GemmSize size = layer_size(p);
  if (p.text("kind") == "nf4")
    return p.text("shape") != "head" && llm::has_whole_nf4_blocks(size.n * size.k);
  return size.k % llm::kQatGroup == 0 && p.text("precision") != "fp64";
}

SCALEMARK_BENCHMARK("micro/quantized_linear", quantized_linear)
    .doc("A linear layer of Llama3 over NF4 weights (QLoRA) or with fake quantisation (QAT)")
    .axis("kind",
          {.values = {"nf4", "fake_quant"},
           .doc = "Weights in NF4 that are not trained, or trained ones that are rounded to "
                  "4 bits, and activations to 8"})
    .axis("shape", {.values = {"query", "key_value", "gate", "feed_forward", "head"},
                    .defaults = {"gate"},
                    .doc = "The layer of the model"})
    .axis("model", {.values = gemm_models(), .defaults = {"1b"}, .defaults_with_gpu = {"8b"}})
    .axis_integer("rows", {.minimum = 1,
                           .maximum = 1 << 17,
                           .defaults = "256,2048",
                           .quick = "256",
                           .doc = "Tokens",
                           .unit = "{token}"})
    .axis_boolean("fused", {.defaults = {true},
                            .implied = true,
                            .doc = "Quantisation in one pass, as mode=tuned trains with it"})
    .axis("precision", {.values = {"fp64", "fp32", "bf16"}, .defaults = {"fp32"}})
    .with(operation_axes)
    .where(divides_evenly)
    .operation_work(quantized_linear_work)
    .memory([](const Point& p) {
      const GemmSize size = layer_size(p);
      return operation_memory(
          2.0 * static_cast<double>(size.n * size.k + size.m * (size.n + size.k)),
          p.text("precision"));
    });

}  // namespace
}  // namespace scalemark::micro
