// SPDX-License-Identifier: Apache-2.0
// Weights by name.
#include "suites/imaging/weights.hpp"

#include <sstream>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark::imaging {
namespace {

std::string shape_of(const at::Tensor& tensor) {
  std::ostringstream text;
  text << tensor.sizes();
  return text.str();
}

[[noreturn]] void refuse(const std::string& source, const std::string& why) {
  throw InputError(
      fmt::format("weights {}: {}", text::printable(source, 300), text::printable(why, 300)));
}

/// Takes `name` out of `left`.
void take(const std::string& name, at::Tensor target, torch_support::NamedTensors& left,
          const std::string& source) {
  const auto found = left.find(name);
  if (found == left.end()) {
    if (name.ends_with("num_batches_tracked")) return;
    refuse(source, fmt::format("'{}' is missing", name));
  }
  if (found->second.sizes() != target.sizes()) {
    const bool classes = name.starts_with("classifier.1.") && target.dim() > 0 &&
                         found->second.dim() == target.dim();
    refuse(source, classes ? fmt::format("they are for {} classes, this network has {}",
                                         found->second.size(0), target.size(0))
                           : fmt::format("'{}' has the shape {}, this network's is {}", name,
                                         shape_of(found->second), shape_of(target)));
  }
  target.copy_(found->second);
  left.erase(found);
}

}  // namespace

void load_weights(MobileNetV2& model, const torch_support::NamedTensors& weights,
                  const std::string& source) {
  const at::NoGradGuard no_grad;
  torch_support::NamedTensors left = weights;
  for (const auto& item : model.named_parameters()) take(item.key(), item.value(), left, source);
  for (const auto& item : model.named_buffers()) take(item.key(), item.value(), left, source);
  if (!left.empty())
    refuse(source, fmt::format("'{}' is not of this network", left.begin()->first));
}

}  // namespace scalemark::imaging
