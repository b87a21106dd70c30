// SPDX-License-Identifier: Apache-2.0
// LoRA adapters in PEFT's format.
#pragma once

#include <filesystem>
#include <string>

#include "common/core/case.hpp"
#include "common/torch/files/safetensors.hpp"
#include "suites/llm/model/llama.hpp"
#include "suites/llm/train/parallelism.hpp"

namespace scalemark::llm {

/// The parameters of all adapters, under the model's names: "layers.0.attn.q_proj.lora_a.weight".
torch_support::NamedTensors lora_parameters(const torch::nn::Module& model);

/// The given tensors of a model with their full values. Collective if it is sharded.
torch_support::NamedTensors whole(Parallelism& parallelism,
                                  const torch_support::NamedTensors& tensors);

/// The parameters for PEFT, of a Llama of `config`; memory is shared where it can be. A [rank, in]
/// as "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight", B [out, rank] as
/// "...lora_B...". B of q and k has its rows in Hugging Face's order.
torch_support::NamedTensors peft_adapters(const torch_support::NamedTensors& lora_parameters,
                                          const LlamaConfig& config);

/// PEFT's adapter_config.json for such adapters; it names no base model.
std::string peft_config(const torch_support::NamedTensors& adapters, const LoraConfig& lora);

/// Writes adapter_model.safetensors and adapter_config.json into `folder`, which is created if
/// missing. Each file appears, or replaces another, only when complete. Throws Error.
void write_adapters(const std::filesystem::path& folder,
                    const torch_support::NamedTensors& adapters, const LoraConfig& lora);

/// Folder for this case's adapters: a subfolder of `--data adapters=DIR`, since a run may have
/// several cases. Empty if DIR is not given or `lora` is false. Rank 0 creates it now, so that an
/// unwritable folder fails before the training.
std::filesystem::path adapters_folder(const Case& c, bool lora);

/// Rank 0 writes them where `folder` is not empty, and records fact `adapters`, a hash of them.
void save_adapters(Case& c, const std::filesystem::path& folder,
                   const torch_support::NamedTensors& lora_parameters, const LlamaConfig& config,
                   const LoraConfig& lora);

}  // namespace scalemark::llm
