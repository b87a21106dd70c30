// SPDX-License-Identifier: Apache-2.0
// Loads model weights from files.
#include "suites/llm/io/weights.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/utils.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/torch/fingerprint.hpp"

namespace scalemark::llm {
namespace {

using Shape = std::vector<std::int64_t>;

constexpr std::array<torch::ScalarType, 4> kTypes{torch::kDouble, torch::kFloat, torch::kHalf,
                                                  torch::kBFloat16};
constexpr const char* kEmbedding = "tok_embeddings.weight";
constexpr const char* kHead = "output.weight";

Naming naming_of(const torch_support::TensorFile& file) {
  for (const auto& [name, entry] : file.entries()) {
    if (name.starts_with("model.")) return Naming::hugging_face;
  }
  return Naming::meta;
}

/// The model's parameter names with their shapes; allocates nothing.
std::map<std::string, Shape> shapes_of(const LlamaConfig& config) {
  std::map<std::string, Shape> shapes;
  const Llama model(config, torch::TensorOptions().device(torch::kMeta));
  for (const auto& item : model->named_parameters())
    shapes[item.key()] = item.value().sizes().vec();
  return shapes;
}

/// Why a tensor of the file cannot become `shape`; empty if it can.
std::string mismatch(const safetensors::Entry& given, const Shape& shape) {
  const auto text = [](const Shape& sizes) { return fmt::format("[{}]", fmt::join(sizes, ", ")); };
  if (std::ranges::find(kTypes, torch_support::scalar_type(given.type)) == kTypes.end()) {
    return fmt::format("'{}' is of type {}; allowed: F64, F32, F16, BF16", given.name, given.type);
  }
  if (given.shape != shape) {
    return fmt::format("'{}' is of shape {}, the model's of {}", given.name, text(given.shape),
                       text(shape));
  }
  return {};
}

}  // namespace

WeightsFile::WeightsFile(const std::filesystem::path& path, const LlamaConfig& config)
    : file_(path), config_(config), naming_(naming_of(file_)) {
  check(shapes_of(config));
}

void WeightsFile::check(const std::map<std::string, Shape>& wanted) const {
  const auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format("{}: {}", text::printable(file_.source(), 300), why));
  };
  const std::string head = name_in_file(kHead, naming_);
  std::map<std::string, Shape> wanted_in_file;
  for (const auto& [name, shape] : wanted) wanted_in_file[name_in_file(name, naming_)] = shape;
  const bool tied = !wanted_in_file.contains(head);
  for (const auto& [name, entry] : file_.entries()) {
    if (!wanted_in_file.contains(name) && !(tied && name == head)) {
      refuse(fmt::format("the model has no '{}' (names are read as those of {})",
                         text::printable(name, 80), to_string(naming_)));
    }
  }
  for (const auto& [name, shape] : wanted_in_file) {
    if (!file_.contains(name)) refuse(fmt::format("'{}' is missing", name));
    const std::string problem = mismatch(file_.entries().at(name), shape);
    if (!problem.empty()) refuse(problem);
  }
  if (tied && file_.contains(head)) {
    const torch::Tensor embedding = file_.tensor(name_in_file(kEmbedding, naming_));
    const torch::Tensor given = file_.tensor(head);
    if (given.scalar_type() != embedding.scalar_type() || !given.equal(embedding))
      refuse(fmt::format("'{}' is not the embedding, to which the model ties it", head));
  }
}

torch::Tensor WeightsFile::tensor(const std::string& name) const {
  const torch::Tensor given = file_.tensor(name_in_file(name, naming_));
  const std::int64_t heads = rotated_heads(name, config_);
  return naming_ == Naming::hugging_face && heads > 0 ? join_pairs(given, heads) : given;
}

void WeightsFile::copy_into(torch::nn::Module& part, const std::string& prefix,
                            const std::function<void()>& tick) const {
  const torch::NoGradGuard no_grad;
  for (auto& item : part.named_parameters()) {
    tick();
    item.value().copy_(tensor(prefix + item.key()));
  }
}

std::uint64_t WeightsFile::fingerprint(const std::function<void()>& tick) const {
  std::vector<std::int64_t> hashes;
  for (const auto& [name, entry] : file_.entries()) {
    tick();
    hashes.push_back(static_cast<std::int64_t>(torch_support::fingerprint({file_.tensor(name)})));
  }
  return torch_support::fingerprint({torch::tensor(hashes)});
}

Start open_start(Case& c, const LlamaConfig& config) {
  if (c.text("start") == "random") return {};
  const std::string path = c.inputs().data("weights");
  if (path.empty()) c.skip("start=weights needs a file: set --data weights=FILE");
  c.phase("read weights");
  Start start;
  start.weights.emplace(path, config);
  start.fingerprint = start.weights->fingerprint([&] { c.report_progress(); });
  c.fact("weights", torch_support::to_hex(start.fingerprint));
  c.fact("weights_naming", std::string(to_string(start.weights->naming())));
  return start;
}

}  // namespace scalemark::llm
