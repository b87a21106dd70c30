// SPDX-License-Identifier: Apache-2.0
// Time of one LoRA training step of one Llama3 decoder layer: forward, backward, AdamW.
#include <string>
#include <vector>

#include <torch/utils.h>

#include "common/core/benchmark.hpp"
#include "common/torch/precision.hpp"
#include "common/torch/setup.hpp"
#include "common/torch/training/step_records.hpp"
#include "suites/llm/train/lora_check.hpp"
#include "suites/llm/train/method.hpp"

namespace scalemark::llm {
namespace {

void train_layer(Case& c) {
  const LlamaConfig config = llama_config(c.text("model"));
  const std::int64_t batch = c.integer("batch"), sequence = c.integer("sequence");
  const std::string& precision = c.text("precision");
  const LayerStepOptions how{.checkpointing = c.flag("checkpointing"),
                             .fused_optimizer = c.flag("fused_optimizer")};
  const torch::Device device = torch_support::prepare(c);
  if (precision == "tf32" && device.is_cpu()) c.skip("tf32 is a format of NVIDIA GPUs");
  torch_support::allow_tf32(precision == "tf32");
  const auto options = torch::TensorOptions().device(device).dtype(element_type(precision));
  LayerData data = random_layer_data(config, batch, sequence, options);
  DecoderLayer layer(config, options);
  add_lora(*layer, LoraConfig{});
  LayerOptimizer optimizer(layer, {.learning_rate = 3e-4, .weight_decay = 0.01}, how);
  const auto step = [&] {
    optimizer.zero_grad();
    data.x.mutable_grad().reset();
    const torch::Tensor y = layer_output(layer, data.x, data.positions, how);
    torch::mse_loss(y, data.target).backward();
    optimizer.step();
    c.device().synchronize();
  };
  c.work({.flops = lora_layer_flops(config, {}, batch, sequence),
          .precision = precision,
          .formula = "tokens (4 N_linear + 6 N_lora + 12 dim sequence) / step_time"});
  c.fact("hardware_flops",
         lora_layer_hardware_flops(config, {}, batch, sequence, how.checkpointing));
  torch_support::FirstPeak peak(device);
  c.verify(kLoraRule, [&] {
    peak.note();
    return check_lora_layer(layer, data, how);
  });
  c.measure(step, {.metric = "step_time", .barrier = false, .warmup = 2});
  c.record_rate("tokens_per_second", "{token}/s", "step_time",
                static_cast<double>(batch * sequence), "tokens / step_time");
  peak.record(c);
}
void lora_step(Case& c) {
  torch_support::run_body([&] { train_layer(c); });
}

/// Backward through a checkpointed layer holds all its activations again, so checkpointing does not
/// matter.
std::uint64_t memory(const Point& p) {
  const auto bytes = c10::elementSize(element_type(p.text("precision")));
  return lora_layer_bytes(llama_config(p.text("model")), {}, p.integer("batch"),
                          p.integer("sequence"), static_cast<std::int64_t>(bytes));
}

// Not in fp16: gradients of a mean over batch * sequence * dim elements are below its smallest
// number. torchtune rejects fp16, too.
SCALEMARK_BENCHMARK("micro/lora_step", lora_step)
    .doc("Training step of a Llama3 layer with LoRA: forward, backward, AdamW")
    .axis("model", {.values = llama_names(), .defaults = {"1b"}, .defaults_with_gpu = {"8b"}})
    .axis("precision", {.values = {"fp64", "fp32", "tf32", "bf16"}, .defaults = {"fp32"}})
    .axis_integer("batch", {.minimum = 1, .maximum = 4096, .defaults = "2"})
    .axis_integer("sequence", {.minimum = 1, .maximum = 8192, .defaults = "128"})
    .axis_boolean("checkpointing", {.defaults = {false}, .implied = false})
    .axis_boolean("fused_optimizer", {.defaults = {true}, .implied = true})
    .compute_axes()
    .rank_local()
    .memory(memory)
    .needs("LibTorch");

}  // namespace
}  // namespace scalemark::llm
