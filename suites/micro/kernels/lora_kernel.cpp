// SPDX-License-Identifier: Apache-2.0
// Kernel: one LoRA training step of a layer of the tiny Llama3 model (forward, backward, AdamW) in
// fp32 on one thread.
#include <ATen/Parallel.h>
#include <torch/utils.h>

#include "suites/llm/optim/adamw.hpp"
#include "suites/llm/train/lora_check.hpp"
#include "suites/micro/kernels/kernel.hpp"

namespace scalemark::micro::kernels {
namespace {

constexpr std::int64_t kLoraBatch = 2, kSequence = 128;

void run_lora_step(benchmark::State& state) {
  at::set_num_threads(1);
  const llm::LlamaConfig config = llm::llama_config("tiny");
  const torch::TensorOptions options(torch::kFloat32);
  llm::LayerData data = llm::random_layer_data(config, kLoraBatch, kSequence, options);
  llm::DecoderLayer layer(config, options);
  llm::add_lora(*layer, llm::LoraConfig{});
  llm::AdamW optimizer(llm::trainable_parameters(*layer),
                       {.learning_rate = 3e-4, .weight_decay = 0.01});
  const auto step = [&] {
    optimizer.zero_grad();
    data.x.mutable_grad().reset();
    torch::mse_loss(layer(data.x, data.positions), data.target).backward();
    optimizer.step();
  };
  step();  // untimed: the first step allocates
  for (auto _ : state) step();
  const Case::Checked check = llm::check_lora_layer(layer, data);
  set_checked(state, check.checked, check.wrong, llm::kLoraRule);
  set_work(state, {.flops = llm::lora_layer_flops(config, {}, kLoraBatch, kSequence),
                   .items = static_cast<double>(kLoraBatch * kSequence)});
}

[[maybe_unused]] const bool kLoraAdded = add(
    "lora_step", {{"batch", kLoraBatch}, {"model", std::string("tiny")}, {"sequence", kSequence}},
    run_lora_step);

}  // namespace
}  // namespace scalemark::micro::kernels
