// SPDX-License-Identifier: Apache-2.0
// Time of one LoRA training step of one Llama3 decoder layer: forward, backward, AdamW.
#include <torch/utils.h>

#include "common/core/benchmark.hpp"
#include "common/torch/setup.hpp"
#include "suites/llm/adamw.hpp"
#include "suites/llm/lora_check.hpp"

namespace scalemark::llm {
namespace {

void train_layer(Case& c) {
  const LlamaConfig config = llama_config(c.text("model"));
  const std::int64_t batch = c.integer("batch"), sequence = c.integer("sequence");
  const auto type = c.text("precision") == "bf16" ? torch::kBFloat16 : torch::kFloat32;
  const auto options = torch::TensorOptions().device(torch_support::prepare(c)).dtype(type);
  LayerData data = random_layer_data(config, batch, sequence, options);
  DecoderLayer layer(config, options);
  add_lora(*layer, LoraConfig{});
  AdamW optimizer(trainable_parameters(*layer), {.learning_rate = 3e-4, .weight_decay = 0.01});
  const auto step = [&] {
    optimizer.zero_grad();
    data.x.mutable_grad().reset();
    torch::mse_loss(layer(data.x, data.positions), data.target).backward();
    optimizer.step();
    c.device().synchronize();
  };
  c.work({.flops = lora_layer_flops(config, {}, batch, sequence),
          .precision = c.text("precision"),
          .formula = "tokens (4 N_linear + 6 N_lora + 12 dim sequence) / step_time"});
  c.verify(kLoraRule, [&] { return check_lora_layer(layer, data); });
  c.measure(step, {.metric = "step_time", .barrier = false, .warmup = 2});
  c.record_rate("tokens_per_second", "{token}/s", "step_time",
                static_cast<double>(batch * sequence), "tokens / step_time");
}
void lora_step(Case& c) {
  torch_support::run_body([&] { train_layer(c); });
}

std::uint64_t memory(const Params& p) {
  const auto integer = [&](const char* axis) { return std::get<std::int64_t>(p.at(axis)); };
  const auto text = [&](const char* axis) { return std::get<std::string>(p.at(axis)); };
  return lora_layer_bytes(llama_config(text("model")), {}, integer("batch"), integer("sequence"),
                          text("precision") == "bf16" ? 2 : 4);
}
SCALEMARK_BENCHMARK("micro/lora_step", lora_step)
    .doc("Training step of a Llama3 layer with LoRA: forward, backward, AdamW")
    .axis("model", llama_names())
    .default_by_gpu("1b", "8b")
    .axis("precision", {"fp32", "bf16"}, {"fp32"})
    .axis_integer("batch", 1, 4096, "2")
    .axis_integer("sequence", 1, 8192, "128")
    .compute_axes()
    .rank_local()
    .memory(memory)
    .needs("LibTorch");

}  // namespace
}  // namespace scalemark::llm
