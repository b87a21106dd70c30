// SPDX-License-Identifier: Apache-2.0
// llm/inference: Llama3 computes a prompt, or one token behind it.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <torch/utils.h>

#include "common/base/error.hpp"
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "common/torch/precision.hpp"
#include "common/torch/process_group/process_group.hpp"
#include "common/torch/products.hpp"
#include "common/torch/setup.hpp"
#include "common/torch/step_graph.hpp"
#include "common/torch/training/step_records.hpp"
#include "suites/llm/generate/generator.hpp"
#include "suites/llm/generate/generator_check.hpp"

namespace scalemark::llm {
namespace {

/// What a point asks for, and what follows from it.
struct Request {
  LlamaConfig whole, part;
  std::int64_t batch = 1, context = 1, ranks = 1, element_bytes = 4;
  bool decodes = false;

  explicit Request(const Point& p)
      : whole(llama_config(p.text("model"))),
        batch(p.integer("batch")),
        context(p.integer("context")),
        ranks(p.text("parallel") == "tensor" ? p.integer("ranks") : 1),
        element_bytes(static_cast<std::int64_t>(
            c10::elementSize(torch_support::storage_type(p.text("precision"))))),
        decodes(p.text("phase") == "decode") {
    part = whole;
    part.shards = ranks;
  }

  std::int64_t capacity() const { return context + (decodes ? 1 : 0); }
  /// Tokens of all rows that an operation computes.
  std::int64_t tokens() const { return batch * (decodes ? 1 : context); }
  std::int64_t head_weights() const { return whole.vocab_size / ranks * whole.dim; }
  std::int64_t cache_bytes() const {
    return batch * capacity() * kv_bytes_per_token(part, element_bytes);
  }

  /// Two per weight and token, of the head for the last token only; four per value of a query and
  /// key that it meets. All context^2 pairs of a prompt are counted.
  double flops() const {
    const auto products = static_cast<double>(part.layers * count_parameters(part).layer_linear);
    const auto pairs = static_cast<double>(tokens()) * static_cast<double>(capacity());
    return 2 * static_cast<double>(tokens()) * products +
           2 * static_cast<double>(batch * head_weights()) +
           4 * static_cast<double>(part.layers * part.query_dim()) * pairs;
  }
  /// Weights of the layers and of the head, and the cache, are read once.
  double decode_bytes() const {
    const std::int64_t weights = part.layers * count_parameters(part).per_layer + head_weights();
    return static_cast<double>(weights * element_bytes + cache_bytes());
  }
};

torch::Tensor random_tokens(const Request& request, std::uint64_t seed, torch::Device device) {
  torch::manual_seed(seed);
  return torch::randint(request.whole.vocab_size, {request.batch, request.capacity()},
                        torch::TensorOptions(torch::kInt64).device(device));
}

torch_support::ProcessGroupPtr group_of(Case& c, torch::Device device) {
  if (c.text("parallel") == "data") return {};
  const auto group = torch_support::make_process_group(c, device, c.text("backend"));
  c.fact("process_group", torch_support::resolve_backend(c.text("backend"), c.text("device")));
  return group;
}

void check_choice(const Case& c, const Request& request, torch::Device device) {
  if (request.capacity() > request.whole.max_seq_len) {
    c.skip(fmt::format("{} tokens per row are more than the model's {}", request.capacity(),
                       request.whole.max_seq_len));
  }
  try {
    shared_by(request.whole, request.ranks);
  } catch (const InputError& error) {
    c.skip(error.what());
  }
  if (c.flag("graphs") && device.is_cpu()) c.skip("CUDA graphs are for GPUs");
  if (c.flag("graphs") && !request.decodes) c.skip("CUDA graphs are for phase=decode");
  if (c.flag("graphs") && request.ranks > 1)
    c.skip("ranks that share a model are not recorded as CUDA graphs");
}

void infer(Case& c) {
  const torch::Device device = torch_support::prepare(c);
  const Request request(Point{c.result().params});
  check_choice(c, request, device);
  const torch_support::FastProducts fast_products(true);
  c.phase("make model");
  const auto options =
      torch::TensorOptions().device(device).dtype(torch_support::storage_type(c.text("precision")));
  Generator generator(request.whole, {.batch = request.batch,
                                      .capacity = request.capacity(),
                                      .seed = c.seed(),
                                      .tensors = options,
                                      .group = group_of(c, device)});
  const torch::Tensor tokens = random_tokens(request, c.seed(), device),
                      prompt = tokens.narrow(1, 0, request.context),
                      last = tokens.narrow(1, request.capacity() - 1, 1);
  const std::int64_t kept = request.decodes ? request.context : 0;
  if (request.decodes) generator.next(prompt);
  torch::Tensor logits;
  const auto compute = [&] {
    generator.shorten(kept);
    generator.next(request.decodes ? last : prompt);
    logits = generator.logits();
  };
  std::unique_ptr<torch_support::StepGraph> graph;
  if (c.flag("graphs")) {
    graph = torch_support::make_step_graph(device);
    graph->warm_up(compute);
    graph->capture(compute);
  }
  c.work({.bytes = request.decodes ? request.decode_bytes() : 0,
          .flops = request.flops(),
          .precision = c.text("precision"),
          .formula = request.decodes
                         ? "(bytes of weights and of keys and values) / time_per_output_token"
                         : "(2 tokens weights + 4 layers dim context^2) / time_to_first_token",
          .carrier = !request.decodes  ? Carrier::unstated
                     : device.is_cpu() ? Carrier::host_memory
                                       : Carrier::device_memory});
  c.fact("kv_cache_bytes", request.cache_bytes());
  torch_support::FirstPeak peak(device);
  c.verify(kGeneratorRule, [&] {
    peak.note();
    return check_generator(generator, tokens, logits);
  });
  const std::string metric = request.decodes ? "time_per_output_token" : "time_to_first_token";
  c.measure(
      [&] {
        graph ? graph->launch() : compute();
        c.device().synchronize();
      },
      {.metric = metric, .warmup = 2});
  const int models = c.size() / static_cast<int>(request.ranks);
  c.record_rate("tokens_per_second", "{token}/s", metric,
                static_cast<double>(request.tokens() * models), "tokens of all ranks / " + metric);
  peak.record(c);
}

void inference(Case& c) {
  torch_support::run_body([&] { infer(c); });
}

void simplify_inference(Point& point) {
  const bool shared = point.text("parallel") == "tensor" && point.integer("ranks") > 1;
  if (!shared) point["parallel"] = std::string("data");
  point["backend"] =
      shared ? torch_support::simplest_backend(point.text("backend"), point.text("device"))
             : "auto";
}

/// Weights, cache, and what one layer keeps of the prompts, or, while weights are made, a whole
/// layer.
std::uint64_t inference_memory(const Point& p) {
  const Request request(p);
  const ParameterCounts part = count_parameters(request.part),
                        whole = count_parameters(request.whole);
  const std::int64_t made =
                         std::max(whole.per_layer, request.whole.tied_output ? 0 : whole.embedding),
                     per_token = 6 * request.whole.dim + 3 * request.part.inner_dim(),
                     prompts = request.batch * request.context * per_token;
  const std::int64_t elements = part.total + std::max(made, prompts);
  return static_cast<std::uint64_t>(elements * request.element_bytes + request.cache_bytes());
}

SCALEMARK_BENCHMARK("llm/inference", inference)
    .doc("Inference of Llama3: time of a prompt to its first token, or of each further token")
    .axis("phase", {.values = {"prefill", "decode"},
                    .doc = "A prompt is computed at once, or one token behind it"})
    .axis("parallel", {.values = {"data", "tensor"},
                       .defaults = {"data"},
                       .doc = "Each rank has a whole model, or all ranks share one"})
    .axis("model", {.values = llama_names(), .defaults = {"110m"}, .defaults_with_gpu = {"8b"}})
    .axis("precision", {.values = {"fp64", "fp32", "bf16", "fp16"},
                        .defaults = {"fp32"},
                        .defaults_with_gpu = {"bf16"}})
    .axis_integer("batch", {.minimum = 1,
                            .maximum = 4096,
                            .defaults = "1,16",
                            .quick = "1",
                            .doc = "Prompts computed together by each model",
                            .unit = "{sample}"})
    .axis_integer("context", {.minimum = 2,
                              .maximum = 131'072,
                              .defaults = "512",
                              .quick = "64",
                              .doc = "Tokens of each prompt, or before the token that is decoded",
                              .unit = "{token}"})
    .axis_boolean("graphs", {.defaults = {false}, .implied = false})
    .with(torch_support::backend_axis)
    .compute_axes()
    .ranks(1)
    .adjust(simplify_inference)
    .memory(inference_memory)
    .needs("LibTorch");

}  // namespace
}  // namespace scalemark::llm
