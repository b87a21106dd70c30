// SPDX-License-Identifier: Apache-2.0
// Weights from outside: safetensors with the names and the order of rows of Hugging Face or Meta.
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

/// A file, or the shards of one, that fits a model of `config`: exactly its weights, each of its
/// shape, in F64, F32, F16 or BF16. A tied head may be there too, if it is the embedding.
class WeightsFile {
 public:
  /// Looks at names, types and shapes (and at a tied head) only. Throws InputError.
  WeightsFile(const std::filesystem::path& path, const LlamaConfig& config);

  Naming naming() const { return naming_; }
  /// What LlamaImpl calls `name`, on the host, in the file's type, rows in the model's order: over
  /// the file's own bytes where its order is the same.
  torch::Tensor tensor(const std::string& name) const;

  /// Copies every parameter of `part`, one after another into its type and onto its device; `tick`
  /// is called for each. `part` is a Llama of this configuration without adapters, or what such a
  /// one calls `prefix`: "layers.3.".
  void copy_into(
      torch::nn::Module& part, const std::string& prefix = "",
      const std::function<void()>& tick = [] {}) const;
  /// Hash over all tensors, whatever files they stand in: all of them are read.
  std::uint64_t fingerprint(const std::function<void()>& tick = [] {}) const;

 private:
  void check(const std::map<std::string, std::vector<std::int64_t>>& wanted) const;

  torch_support::TensorFile file_;
  LlamaConfig config_;
  Naming naming_;
};

/// What a training begins from.
struct Start {
  std::optional<WeightsFile> weights;  ///< none: random
  std::uint64_t fingerprint = 0;       ///< of them
};

/// What the axis `start` names: random weights, or the file of `--data weights=FILE`. Skips the
/// case where that is not given. Records facts `weights`, the fingerprint, and `weights_naming`.
Start open_start(Case& c, const LlamaConfig& config);

}  // namespace scalemark::llm
