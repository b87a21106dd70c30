// SPDX-License-Identifier: Apache-2.0
// The models and inputs that a golden file describes, and training runs of them.
#include "suites/llm/golden/golden_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/utils.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/golden/fill.hpp"
#include "suites/llm/model/loss.hpp"

namespace scalemark::llm {
namespace {

// Golden files are small; these bounds keep a malicious one from exhausting memory.
constexpr std::int64_t kLargestModel = 20'000'000;
constexpr std::int64_t kMaxTokens = 1 << 16;
constexpr std::int64_t kMaxSteps = 100;

bool ends_with(const std::string& name, const std::string& end) { return name.ends_with(end); }

constexpr std::uint64_t kFirstParameter = 1000, kFirstAdapter = 11'000;

/// The parameters with (or without) "lora_" in their names, numbered in registration order.
std::vector<FilledTensor> number_parameters(Llama& model, bool adapters, std::uint64_t first) {
  std::vector<FilledTensor> list;
  for (const auto& item : model->named_parameters()) {
    if ((item.key().find(".lora_") != std::string::npos) != adapters) continue;
    list.push_back({item.key(), item.value().sizes().vec(), first + list.size()});
  }
  return list;
}

/// Fills `model` from the list, whose names and shapes must be the model's own, in its order.
void fill(Llama& model, const std::vector<FilledTensor>& list, const Filling& filling,
          bool fill_b) {
  const torch::NoGradGuard no_grad;
  std::map<std::string, torch::Tensor> parameters;
  for (const auto& item : model->named_parameters()) parameters.emplace(item.key(), item.value());
  for (const FilledTensor& tensor : list) {
    const auto found = parameters.find(tensor.name);
    if (found == parameters.end())
      throw InputError(fmt::format("the model has no parameter '{}'", tensor.name));
    if (found->second.sizes() != torch::IntArrayRef(tensor.shape)) {
      throw InputError(fmt::format(
          "parameter '{}' has shape [{}] in the file and [{}] in the model", tensor.name,
          fmt::join(tensor.shape, ", "), fmt::join(found->second.sizes().vec(), ", ")));
    }
    if (fill_b || !ends_with(tensor.name, "lora_b.weight")) {
      found->second.copy_(filling.filled(tensor, found->second.options()));
    }
  }
}

}  // namespace

Filling::Filling(const golden::Field& file)
    : seed(static_cast<std::uint64_t>(file["seed"].integer())), gain(file["gain"].number()) {}

torch::Tensor Filling::symmetric(const std::vector<std::int64_t>& shape,
                                 std::uint64_t stream) const {
  torch::Tensor values = torch::empty(shape, torch::kFloat64);
  auto* const data = values.mutable_data_ptr<double>();
  const auto count = static_cast<std::uint64_t>(values.numel());
  for (std::uint64_t i = 0; i < count; ++i) data[i] = golden::sym(seed, stream, i);
  return values;
}

torch::Tensor Filling::filled(const FilledTensor& tensor,
                              const torch::TensorOptions& options) const {
  const torch::Tensor values = symmetric(tensor.shape, tensor.stream);
  if (ends_with(tensor.name, "scale")) return (1 + 0.1 * values).to(options);
  const double fan_in = static_cast<double>(values.numel()) / static_cast<double>(values.size(0));
  return (std::sqrt(gain / fan_in) * values).to(options);
}

GoldenModel::GoldenModel(const golden::Field& file, const std::string& device)
    : config_(read_config(file["config"])),
      filling_(file),
      device_(device),
      parameters_(read_tensors(file["parameters"])) {
  tokens_bs_ = read_tokens(file["tokens"], config_, filling_.seed, nullptr).to(device_);
  shifted_bs_ =
      shift_labels(read_labels(file["labels"]["values"], config_, tokens_bs_)).to(device_);
}

GoldenModel::GoldenModel(const golden::Field& file, const golden::Field& part,
                         const torch::Tensor& tokens_bs, const torch::Tensor& labels_bs,
                         const std::string& device)
    : config_(read_config(part["config"])), filling_(file), device_(device) {
  Llama model(config_, options(kFp32));
  parameters_ = number_parameters(model, /*adapters=*/false, kFirstParameter);
  tokens_bs_ = tokens_bs.to(device_);
  shifted_bs_ = shift_labels(labels_bs).to(device_);
}

torch::TensorOptions GoldenModel::options(const Precision& precision) const {
  return torch::TensorOptions().dtype(precision.type).device(device_);
}

Llama GoldenModel::base(const Precision& precision) const {
  Llama model(config_, options(precision));
  if (parameters_.size() != model->parameters().size()) {
    throw InputError(fmt::format("field 'parameters' lists {} tensors; the model has {}",
                                 parameters_.size(), model->parameters().size()));
  }
  fill(model, parameters_, filling_, false);
  return model;
}

Llama GoldenModel::with_lora(const Precision& precision, const LoraConfig& lora,
                             const std::vector<FilledTensor>& adapters, bool fill_b) const {
  Llama model = base(precision);
  add_lora(*model, lora);
  fill(model, adapters, filling_, fill_b);
  return model;
}

void GoldenModel::fill_adapters(Llama& model) const {
  fill(model, number_parameters(model, /*adapters=*/true, kFirstAdapter), filling_, false);
}

LlamaConfig read_config(const golden::Field& field) {
  LlamaConfig config;
  config.vocab_size = field["vocab_size"].integer();
  config.dim = field["dim"].integer();
  config.layers = field["layers"].integer();
  config.heads = field["heads"].integer();
  config.kv_heads = field["kv_heads"].integer();
  config.ffn_dim = field["ffn_dim"].integer();
  config.max_seq_len = field["max_seq_len"].integer();
  config.rope_base = field["rope_base"].number();
  config.norm_eps = field["norm_eps"].number();
  check(config, field.path());
  if (const std::int64_t total = count_parameters(config).total; total > kLargestModel) {
    throw InputError(fmt::format("field '{}' describes {} parameters; allowed: {}", field.path(),
                                 total, kLargestModel));
  }
  return config;
}

torch::Tensor read_labels(const golden::Field& labels, const LlamaConfig& config,
                          const torch::Tensor& tokens_bs) {
  const std::vector<std::int64_t> values = labels.integers();
  const bool valid = std::ranges::all_of(values, [&](std::int64_t label) {
    return label == kMasked || (label >= 0 && label < config.vocab_size);
  });
  if (!valid || static_cast<std::int64_t>(values.size()) != tokens_bs.numel()) {
    throw InputError(fmt::format("field '{}' must hold {} numbers: -100, or 0 to {}", labels.path(),
                                 tokens_bs.numel(), config.vocab_size - 1));
  }
  return torch::tensor(values).view(tokens_bs.sizes());
}

std::vector<FilledTensor> read_tensors(const golden::Field& list) {
  std::vector<FilledTensor> tensors;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const golden::Field entry = list[i];
    tensors.push_back(
        {entry[0].text(), entry[1].integers(), static_cast<std::uint64_t>(entry[2].integer())});
  }
  return tensors;
}

torch::Tensor read_tokens(const golden::Field& tokens, const LlamaConfig& config,
                          std::uint64_t seed, golden::Report* report) {
  const std::vector<std::int64_t> shape = tokens["shape"].integers();
  const std::vector<std::int64_t> ids = tokens["values"].integers();
  const bool good_shape = shape.size() == 2 && shape[0] > 0 && shape[1] > 0 &&
                          shape[0] <= kMaxTokens && shape[1] <= config.max_seq_len &&
                          ids.size() <= kMaxTokens &&
                          shape[0] * shape[1] == static_cast<std::int64_t>(ids.size());
  const bool in_vocabulary =
      std::ranges::all_of(ids, [&](std::int64_t id) { return id >= 0 && id < config.vocab_size; });
  if (!good_shape || !in_vocabulary) {
    throw InputError(fmt::format(
        "field '{}' has shape [{}] and {} values; wanted: [rows, up to {}] and as many ids "
        "below {}",
        tokens.path(), fmt::join(shape, ", "), ids.size(), config.max_seq_len, config.vocab_size));
  }
  const std::string rule = tokens["rule"].text();
  const auto stream = static_cast<std::uint64_t>(tokens["stream"].integer());
  if (report != nullptr && rule == fmt::format("word mod {}", config.vocab_size)) {
    bool equal = true;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const std::uint64_t word = golden::word(seed, stream, i);
      equal = equal && ids[i] == static_cast<std::int64_t>(
                                     word % static_cast<std::uint64_t>(config.vocab_size));
    }
    report->exact(tokens.path(), equal, "the ids do not follow the rule");
  } else if (report != nullptr) {
    report->skip(
        tokens.path() + ".rule",
        fmt::format("unknown rule '{}'; the ids are taken as they are", text::printable(rule, 80)));
  }
  return torch::tensor(ids).view(shape);
}

AdamWOptions read_optimizer(const golden::Field& optimizer) {
  if (const std::string name = optimizer["name"].text(); name != "adamw") {
    throw InputError(fmt::format("field '{}.name' is '{}'; known: adamw", optimizer.path(),
                                 text::printable(name, 80)));
  }
  return {.learning_rate = optimizer["learning_rate"].number(),
          .beta1 = optimizer["beta1"].number(),
          .beta2 = optimizer["beta2"].number(),
          .eps = optimizer["eps"].number(),
          .weight_decay = optimizer["weight_decay"].number()};
}

std::vector<double> to_doubles(const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.detach().to(torch::kCPU, torch::kFloat64).contiguous();
  return {flat.const_data_ptr<double>(), flat.const_data_ptr<double>() + flat.numel()};
}

std::vector<double> to_doubles(const NamedTensors& tensors) {
  std::vector<double> all;
  for (const auto& [name, tensor] : tensors) {
    const std::vector<double> one = to_doubles(tensor);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

double l2_norm(const NamedTensors& tensors) {
  double squares = 0;
  for (const double value : to_doubles(tensors)) squares += value * value;
  return std::sqrt(squares);
}

double relative_l2_error(const NamedTensors& a, const NamedTensors& b) {
  const std::vector<double> first = to_doubles(a), second = to_doubles(b);
  if (first.size() != second.size()) return std::numeric_limits<double>::quiet_NaN();
  double difference = 0, squares = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    difference += (first[i] - second[i]) * (first[i] - second[i]);
    squares += second[i] * second[i];
  }
  return std::sqrt(difference / squares);
}

NamedTensors gradients(Llama& model) {
  NamedTensors result;
  for (const auto& item : model->named_parameters()) {
    if (item.value().requires_grad()) result.emplace_back(item.key(), item.value().grad().clone());
  }
  return result;
}

NamedTensors trainable(Llama& model) {
  NamedTensors result;
  for (const auto& item : model->named_parameters()) {
    if (item.value().requires_grad())
      result.emplace_back(item.key(), item.value().detach().clone());
  }
  return result;
}

Training train(Llama& model, const GoldenModel& golden, const AdamWOptions& optimizer_options,
               std::int64_t steps) {
  if (steps < 1 || steps > kMaxSteps) {
    throw InputError(fmt::format("a training of {} steps; allowed: 1 to {}", steps, kMaxSteps));
  }
  Training result;
  AdamW optimizer(trainable_parameters(*model), optimizer_options);
  for (std::int64_t step = 0; step < steps; ++step) {
    optimizer.zero_grad();
    const torch::Tensor loss = loss_mean(model(golden.tokens_bs()), golden.shifted_bs());
    loss.backward();
    result.losses.push_back(loss.item<double>());
    NamedTensors now = gradients(model);
    result.gradient_norms.push_back(l2_norm(now));
    if (step < 2) result.gradients.push_back(std::move(now));
    optimizer.step();
  }
  result.after = trainable(model);
  return result;
}

}  // namespace scalemark::llm
