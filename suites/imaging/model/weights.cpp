// SPDX-License-Identifier: Apache-2.0
// Loads weights from a safetensors file into the model.
#include "suites/imaging/model/weights.hpp"

#include <cstdint>
#include <vector>

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/torch/fingerprint.hpp"

namespace scalemark::imaging {
namespace {

using torch_support::NamedTensors;

constexpr const char* kClassifier = "classifier.1.weight";

/// Batch counters are the only buffers not used in computation. Changing a module's type makes them
/// floating-point too.
bool is_count(const std::string& name) { return name.ends_with(".num_batches_tracked"); }

std::string shape_of(const at::Tensor& tensor) {
  return fmt::format("[{}]", fmt::join(tensor.sizes(), ", "));
}

/// Reason why `given` cannot be copied to `wanted`; empty if it can.
std::string mismatch(const std::string& name, const at::Tensor& given, const at::Tensor& wanted) {
  if (name == kClassifier && given.dim() == 2 && given.size(0) != wanted.size(0)) {
    return fmt::format("its classifier has {} classes, the model {}", given.size(0),
                       wanted.size(0));
  }
  if (given.sizes() != wanted.sizes()) {
    return fmt::format("'{}' is of shape {}, the network's of {}", name, shape_of(given),
                       shape_of(wanted));
  }
  if (!given.is_floating_point() && !is_count(name))
    return fmt::format("'{}' is of type {}", name, c10::toString(given.scalar_type()));
  return {};
}

/// Reason why the file does not fit; empty if it does.
std::string why_not(const NamedTensors& weights, const NamedTensors& wanted) {
  for (const auto& [name, tensor] : weights) {
    if (!wanted.contains(name))
      return fmt::format("MobileNetV2 has no '{}'", text::printable(name, 80));
  }
  for (const auto& [name, tensor] : wanted) {
    if (!weights.contains(name) && !is_count(name)) return fmt::format("'{}' is missing", name);
  }
  // Check the number of classes first: its message is clearer than one about the bias's shape.
  if (const auto given = weights.find(kClassifier); given != weights.end()) {
    const std::string problem = mismatch(kClassifier, given->second, wanted.at(kClassifier));
    if (!problem.empty()) return problem;
  }
  for (const auto& [name, tensor] : weights) {
    const std::string problem = mismatch(name, tensor, wanted.at(name));
    if (!problem.empty()) return problem;
  }
  return {};
}

}  // namespace

NamedTensors weights_of(const MobileNetV2& model) {
  NamedTensors weights;
  for (const auto& item : model.named_parameters()) weights[item.key()] = item.value();
  for (const auto& item : model.named_buffers()) weights[item.key()] = item.value();
  return weights;
}

void set_weights(MobileNetV2& model, const NamedTensors& weights, const std::string& source) {
  const at::NoGradGuard no_grad;
  const NamedTensors wanted = weights_of(model);
  const std::string problem = why_not(weights, wanted);
  if (!problem.empty())
    throw InputError(fmt::format("{}: {}", text::printable(source, 300), problem));
  for (const auto& [name, tensor] : weights) at::Tensor(wanted.at(name)).copy_(tensor);
}

void set_start(Case& c, MobileNetV2& model) {
  if (c.text("start") == "random") return;
  const std::string file = c.inputs().data("weights");
  if (file.empty()) c.skip("start=weights needs a file: set --data weights=FILE");
  const NamedTensors weights = torch_support::read_safetensors(file);
  set_weights(model, weights, file);
  std::vector<at::Tensor> tensors;
  for (const auto& [name, tensor] : weights) tensors.push_back(tensor);
  c.fact("weights", torch_support::to_hex(torch_support::fingerprint(tensors)));
}

}  // namespace scalemark::imaging
