// SPDX-License-Identifier: Apache-2.0
// Time of one LoRA training step (forward, backward, AdamW) of one Llama3 decoder layer on random
// hidden states.
#include <torch/utils.h>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "common/torch/setup.hpp"
#include "suites/llm/adamw.hpp"
#include "suites/llm/llama.hpp"
#include "suites/llm/lora_check.hpp"

namespace scalemark::llm {
namespace {

void train_layer(Case& c) {
  const LlamaConfig config = llama_config(c.text("model"));
  const std::int64_t batch = c.integer("batch"), sequence = c.integer("sequence");
  const auto type = c.text("precision") == "bf16" ? torch::kBFloat16 : torch::kFloat32;
  const auto options = torch::TensorOptions().device(torch_support::prepare(c)).dtype(type);

  DecoderLayer layer(config, options);
  add_lora(*layer, LoraConfig{});
  AdamW optimizer(trainable_parameters(*layer), {.learning_rate = 3e-4, .weight_decay = 0.01});
  const Positions positions{rotation_table(config, sequence, options), {}};
  const torch::Tensor target = torch::randn({batch, sequence, config.dim}, options);
  // As inside a model the layer hands a gradient on; else part of the backward pass would be left
  // out.
  torch::Tensor x = torch::randn_like(target).requires_grad_();

  c.work({.flops = lora_layer_flops(config, {}, batch, sequence),
          .formula = "tokens (4 N_linear + 6 N_lora + 12 dim sequence) / step_time"});
  c.verify(kLoraRule, [&] {
    const auto [checked, wrong] = check_lora_layer(layer, x, target, positions);
    return Case::Checked{checked, wrong};
  });
  c.measure(
      [&] {
        optimizer.zero_grad();
        x.mutable_grad().reset();
        torch::mse_loss(layer(x, positions), target).backward();
        optimizer.step();
        c.device().synchronize();
      },
      {.metric = "step_time", .barrier = false, .warmup = 2});
  c.record_rate("tokens_per_second", "{token}/s", "step_time",
                static_cast<double>(batch * sequence), "batch sequence / step_time");
}

std::uint64_t memory(const Params& point) {
  const auto integer = [&](const char* axis) { return std::get<std::int64_t>(point.at(axis)); };
  const std::int64_t element_bytes = point.at("precision") == Value(std::string("bf16")) ? 2 : 4;
  return lora_layer_bytes(llama_config(std::get<std::string>(point.at("model"))), {},
                          integer("batch"), integer("sequence"), element_bytes);
}

void lora_step(Case& c) {
  torch_support::translate_errors([&] { train_layer(c); });
}

SCALEMARK_BENCHMARK("micro/lora_step", lora_step)
    .doc("Training step of a Llama3 layer with LoRA: forward, backward, AdamW")
    .axis("model", llama_names())
    .defaults([](const PlanContext& job) {
      return std::vector<Value>{std::string(job.cuda_usable ? "8b" : "1b")};
    })
    .axis("precision", {"fp32", "bf16"}, {"fp32"})
    .axis_integer("batch", 1, 4096, "2")
    .axis_integer("sequence", 1, 8192, "128")
    .compute_axes()
    .rank_local()
    .memory(memory);

}  // namespace
}  // namespace scalemark::llm
