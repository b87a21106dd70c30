// SPDX-License-Identifier: Apache-2.0
// Names, row order and files of LoRA adapters.
#include "suites/llm/io/adapters.hpp"

#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/base/log.hpp"
#include "common/base/text.hpp"
#include "common/base/whole_file.hpp"
#include "common/result/value.hpp"
#include "common/torch/fingerprint.hpp"
#include "suites/llm/io/weight_names.hpp"

namespace scalemark::llm {
namespace {

constexpr std::string_view kWeight = ".weight";
constexpr std::string_view kA = ".lora_a.weight", kB = ".lora_b.weight";

/// "model.layers.0.self_attn.q_proj" of "layers.0.attn.q_proj".
std::string module_in_peft(const std::string& path) {
  std::string name = name_in_file(path + std::string(kWeight), Naming::hugging_face);
  name.resize(name.size() - kWeight.size());
  return name;
}

/// Folder name of the case: what is trained, and a hash of the complete key.
std::string case_folder(const Case& c) {
  return fmt::format("{}-{}-{}-{}", c.text("method"), c.text("model"), c.text("dataset"),
                     hash_text(c.result().key));
}

}  // namespace

torch_support::NamedTensors lora_parameters(const torch::nn::Module& model) {
  torch_support::NamedTensors lora;
  for (const auto& item : model.named_parameters()) {
    const std::string& name = item.key();
    if (name.ends_with(kA) || name.ends_with(kB)) lora[name] = item.value();
  }
  return lora;
}

torch_support::NamedTensors whole(Parallelism& parallelism,
                                  const torch_support::NamedTensors& tensors) {
  std::vector<std::string> names;
  std::vector<torch::Tensor> list;
  for (const auto& [name, tensor] : tensors) {
    names.push_back(name);
    list.push_back(tensor);
  }
  torch_support::NamedTensors result;
  parallelism.visit(list, [&](const torch::Tensor& values) {
    result[names[result.size()]] = values.detach().clone();
  });
  return result;
}

torch_support::NamedTensors peft_adapters(const torch_support::NamedTensors& lora_parameters,
                                          const LlamaConfig& config) {
  torch_support::NamedTensors adapters;
  for (const auto& [name, tensor] : lora_parameters) {
    const bool a = name.ends_with(kA);
    const std::string path = name.substr(0, name.size() - kA.size());
    const std::int64_t heads = rotated_heads(path + ".", config);
    adapters[fmt::format("base_model.model.{}.lora_{}.weight", module_in_peft(path),
                         a ? 'A' : 'B')] =
        !a && heads > 0 ? split_pairs(tensor.detach(), heads) : tensor.detach();
  }
  return adapters;
}

std::string peft_config(const torch_support::NamedTensors& adapters, const LoraConfig& lora) {
  std::set<std::string> modules;
  for (const auto& [name, tensor] : adapters) {
    const std::string path = name.substr(0, name.rfind(".lora_"));
    modules.insert(path.substr(path.rfind('.') + 1));
  }
  const nlohmann::ordered_json config{{"peft_type", "LORA"},
                                      {"task_type", "CAUSAL_LM"},
                                      {"base_model_name_or_path", nullptr},
                                      {"inference_mode", true},
                                      {"r", lora.rank},
                                      {"lora_alpha", lora.alpha},
                                      {"lora_dropout", 0.0},
                                      {"bias", "none"},
                                      {"fan_in_fan_out", false},
                                      {"modules_to_save", nullptr},
                                      {"target_modules", modules}};
  return config.dump(2) + "\n";
}

void write_adapters(const std::filesystem::path& folder,
                    const torch_support::NamedTensors& adapters, const LoraConfig& lora) {
  torch_support::write_safetensors(folder / "adapter_model.safetensors", adapters);
  write_whole(folder / "adapter_config.json", peft_config(adapters, lora));
}

std::filesystem::path adapters_folder(const Case& c, bool lora) {
  const std::string given = c.inputs().data("adapters");
  if (given.empty() || !lora) return {};
  const std::filesystem::path folder = std::filesystem::path(given) / case_folder(c);
  if (c.rank() > 0) return folder;
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) {
    throw InputError(
        fmt::format("--data adapters={}: {}", text::printable(given, 300), problem.message()));
  }
  return folder;
}

void save_adapters(Case& c, const std::filesystem::path& folder,
                   const torch_support::NamedTensors& lora_parameters, const LlamaConfig& config,
                   const LoraConfig& lora) {
  if (folder.empty()) return;
  c.phase("write adapters");
  const torch_support::NamedTensors adapters = peft_adapters(lora_parameters, config);
  std::vector<torch::Tensor> tensors;
  for (const auto& [name, tensor] : adapters) tensors.push_back(tensor);
  c.fact("adapters", torch_support::to_hex(torch_support::fingerprint(tensors)));
  if (c.rank() > 0) return;
  write_adapters(folder, adapters, lora);
  log::info(fmt::format("adapters are in {}", folder.string()));
}

}  // namespace scalemark::llm
