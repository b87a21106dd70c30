// SPDX-License-Identifier: Apache-2.0
// The models and inputs that a golden file describes, and training runs of them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <torch/types.h>

#include "common/golden/field.hpp"
#include "suites/llm/model/llama.hpp"
#include "suites/llm/optim/adamw.hpp"

namespace scalemark::llm {

/// Tolerances of the golden format's table, relative to the magnitude of the compared values.
struct Precision {
  std::string name;  ///< fp64, fp32: as the fields are called
  torch::ScalarType type;
  double logits, loss, gradient, training_loss;
};
inline const Precision kFp64{"fp64", torch::kFloat64, 1e-11, 1e-11, 1e-10, 1e-10};
inline const Precision kFp32{"fp32", torch::kFloat32, 1e-5, 1e-6, 1e-4, 1e-5};

using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

/// A parameter as listed in the file.
struct FilledTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::uint64_t stream = 0;
};

/// The filling rule of a file.
struct Filling {
  std::uint64_t seed = 0;
  double gain = 0;

  explicit Filling(const golden::Field& file);
  /// Input values sym(seed, stream, i), in double.
  torch::Tensor symmetric(const std::vector<std::int64_t>& shape, std::uint64_t stream) const;
  /// A parameter, in the type of `options`.
  torch::Tensor filled(const FilledTensor& tensor, const torch::TensorOptions& options) const;
};

/// Model and input that the file describes.
class GoldenModel {
 public:
  /// Reads config, parameters, tokens and labels of topic "llama". Throws InputError for invalid
  /// sizes, or above 20 million parameters.
  GoldenModel(const golden::Field& file, const std::string& device);
  /// Of a part that has a config but no list of parameters: they are numbered from 1000 in
  /// registration order.
  GoldenModel(const golden::Field& file, const golden::Field& part, const torch::Tensor& tokens_bs,
              const torch::Tensor& labels_bs, const std::string& device);

  const LlamaConfig& config() const { return config_; }
  const std::vector<FilledTensor>& parameters() const { return parameters_; }
  const Filling& filling() const { return filling_; }
  const torch::Tensor& tokens_bs() const { return tokens_bs_; }
  const torch::Tensor& shifted_bs() const { return shifted_bs_; }
  torch::TensorOptions options(const Precision& precision) const;

  /// The plain model with every parameter filled. Throws InputError if the file lists another one.
  Llama base(const Precision& precision) const;
  /// The same with adapters: lora_a filled; lora_b zero, or filled too.
  Llama with_lora(const Precision& precision, const LoraConfig& lora,
                  const std::vector<FilledTensor>& adapters, bool fill_b) const;
  /// Fills the fresh adapters of `model`, numbered from 11000 in registration order; lora_b stays
  /// zero.
  void fill_adapters(Llama& model) const;

 private:
  LlamaConfig config_;
  Filling filling_;
  torch::Device device_;
  std::vector<FilledTensor> parameters_;
  torch::Tensor tokens_bs_, shifted_bs_;
};

/// [[name, shape, stream], ...]
std::vector<FilledTensor> read_tensors(const golden::Field& list);
/// Throws InputError for invalid sizes, or above 20 million parameters.
LlamaConfig read_config(const golden::Field& config);
/// Token ids [rows, sequence], checked to lie in the vocabulary, and against their rule "word mod
/// n".
torch::Tensor read_tokens(const golden::Field& tokens, const LlamaConfig& config,
                          std::uint64_t seed, golden::Report* report);
/// Labels for `tokens_bs`: -100 or an id of the vocabulary each.
torch::Tensor read_labels(const golden::Field& labels, const LlamaConfig& config,
                          const torch::Tensor& tokens_bs);
AdamWOptions read_optimizer(const golden::Field& optimizer);

/// All elements as double, row by row.
std::vector<double> to_doubles(const torch::Tensor& tensor);
/// One after the other.
std::vector<double> to_doubles(const NamedTensors& tensors);
double l2_norm(const NamedTensors& tensors);
/// |a - b| / |b| over all tensors.
double relative_l2_error(const NamedTensors& a, const NamedTensors& b);

/// Gradients of the trainable parameters, copied.
NamedTensors gradients(Llama& model);
/// Trainable parameters, copied.
NamedTensors trainable(Llama& model);

/// Losses before each update and what the gradients were.
struct Training {
  std::vector<double> losses, gradient_norms;
  std::vector<NamedTensors> gradients;  ///< of steps 0 and 1
  NamedTensors after;
};
/// `steps` updates of the trainable parameters on the file's batch. Throws InputError above 100
/// steps.
Training train(Llama& model, const GoldenModel& golden, const AdamWOptions& optimizer,
               std::int64_t steps);

}  // namespace scalemark::llm
