// SPDX-License-Identifier: Apache-2.0
// Saves and restores the state of a training.
#include "common/torch/training/training_state.hpp"

#include <mutex>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include "common/base/error.hpp"

namespace scalemark::torch_support {
namespace {

std::vector<std::pair<std::string, at::Generator>> generators(c10::Device device) {
  std::vector<std::pair<std::string, at::Generator>> all{
      {"random.cpu", at::globalContext().defaultGenerator(c10::Device(c10::kCPU))}};
  if (!device.is_cpu())
    all.emplace_back("random.device", at::globalContext().defaultGenerator(device));
  return all;
}

}  // namespace

std::optional<SavedTraining> saved_training(const Case& c) {
  const std::optional<CaseCheckpoint::State> state = c.checkpoint().saved();
  if (!state) return std::nullopt;
  const std::string source = "the checkpoint of this case";
  return SavedTraining{from_safetensors(state->shared, source),
                       from_safetensors(state->own, source)};
}

void save_training(Case& c, const NamedTensors& shared, const NamedTensors& own) {
  c.checkpoint().save(
      {c.rank() == 0 ? to_safetensors(shared) : std::string(), to_safetensors(own)});
}

const at::Tensor& saved_tensor(const NamedTensors& tensors, const std::string& name) {
  const auto found = tensors.find(name);
  if (found == tensors.end()) throw InputError(fmt::format("the checkpoint has no '{}'", name));
  return found->second;
}

void copy_saved(at::Tensor target, const NamedTensors& tensors, const std::string& name) {
  const at::Tensor& saved = saved_tensor(tensors, name);
  if (saved.sizes() != target.sizes() || saved.scalar_type() != target.scalar_type())
    throw InputError(fmt::format("'{}' of the checkpoint has another shape or type", name));
  const at::NoGradGuard no_grad;
  target.copy_(saved);
}

NamedTensors random_states(c10::Device device) {
  NamedTensors tensors;
  for (auto& [name, generator] : generators(device)) {
    const std::lock_guard lock(generator.mutex());
    tensors[name] = generator.get_state();
  }
  return tensors;
}

void restore_random(const NamedTensors& tensors, c10::Device device) {
  for (auto& [name, generator] : generators(device)) {
    const std::lock_guard lock(generator.mutex());
    generator.set_state(saved_tensor(tensors, name));
  }
}

}  // namespace scalemark::torch_support
