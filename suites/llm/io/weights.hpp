// SPDX-License-Identifier: Apache-2.0
// Loads model weights from safetensors with the names and row order of Hugging Face or Meta.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/core/case.hpp"
#include "common/torch/files/tensor_file.hpp"
#include "suites/llm/io/weight_names.hpp"
#include "suites/llm/model/llama.hpp"

namespace scalemark::llm {

/// A file or its shards that fit a model of `config`: exactly its weights with matching shapes, in
/// F64, F32, F16 or BF16. A tied head may be included if it equals the embedding.
class WeightsFile {
 public:
  /// Checks only names, types and shapes (and a tied head's values). Throws InputError.
  WeightsFile(const std::filesystem::path& path, const LlamaConfig& config);

  Naming naming() const { return naming_; }
  /// LlamaImpl's parameter `name` on the host, in the file's type, rows in the model's order. It
  /// views the file's bytes if the row order is the same.
  torch::Tensor tensor(const std::string& name) const;

  /// Copies every parameter of `part`, one after another into its type and onto its device; `tick`
  /// is called for each. `part` is a Llama of this configuration without adapters, or what such a
  /// one calls `prefix`: "layers.3.".
  void copy_into(
      torch::nn::Module& part, const std::string& prefix = "",
      const std::function<void()>& tick = [] {}) const;
  /// Hash over all tensors, independent of how they are split into files; reads all of them.
  std::uint64_t fingerprint(const std::function<void()>& tick = [] {}) const;

 private:
  void check(const std::map<std::string, std::vector<std::int64_t>>& wanted) const;

  torch_support::TensorFile file_;
  LlamaConfig config_;
  Naming naming_;
};

/// Initial weights of a training.
struct Start {
  std::optional<WeightsFile> weights;  ///< empty: random
  std::uint64_t fingerprint = 0;       ///< of the weights
};

/// Opens the weights that axis `start` names: random, or the file of `--data weights=FILE`. Skips
/// the case if FILE is not given. Records facts `weights`, the fingerprint, and `weights_naming`.
Start open_start(Case& c, const LlamaConfig& config);

}  // namespace scalemark::llm
