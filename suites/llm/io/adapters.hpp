// SPDX-License-Identifier: Apache-2.0
// LoRA adapters as PEFT reads them.
#pragma once

#include <filesystem>
#include <string>

#include "common/core/case.hpp"
#include "common/torch/files/safetensors.hpp"
#include "suites/llm/model/llama.hpp"
#include "suites/llm/train/parallelism.hpp"

namespace scalemark::llm {

/// The parameters of all adapters by the model's names: "layers.0.attn.q_proj.lora_a.weight".
torch_support::NamedTensors lora_parameters(const torch::nn::Module& model);

/// Tensors of a model with their values, whole. Collective where it is sharded.
torch_support::NamedTensors whole(Parallelism& parallelism,
                                  const torch_support::NamedTensors& tensors);

/// The parameters for PEFT, of a Llama of `config`; memory is shared where it can be. A [rank, in]
/// as "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight", B [out, rank] as
/// "...lora_B...". B of q and k has its rows in Hugging Face's order.
torch_support::NamedTensors peft_adapters(const torch_support::NamedTensors& lora_parameters,
                                          const LlamaConfig& config);

/// PEFT's adapter_config.json for such adapters; it names no base model.
std::string peft_config(const torch_support::NamedTensors& adapters, const LoraConfig& lora);

/// Both as files adapter_model.safetensors and adapter_config.json in `folder`, which is made where
/// it is missing. Each appears, or replaces another, whole. Throws Error.
void write_adapters(const std::filesystem::path& folder,
                    const torch_support::NamedTensors& adapters, const LoraConfig& lora);

/// The folder in which this case's adapters come to stand: one of its own in that of `--data
/// adapters=DIR`, since a run may have several cases; empty where none is given or `lora` is false.
/// Rank 0 makes it, so that one which cannot be written to is known before the training.
std::filesystem::path adapters_folder(const Case& c, bool lora);

/// Rank 0 writes them where `folder` is not empty, and records fact `adapters`, a hash of them.
void save_adapters(Case& c, const std::filesystem::path& folder,
                   const torch_support::NamedTensors& lora_parameters, const LlamaConfig& config,
                   const LoraConfig& lora);

}  // namespace scalemark::llm
