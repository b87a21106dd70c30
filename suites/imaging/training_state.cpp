// SPDX-License-Identifier: Apache-2.0
// Packing and unpacking the state of a training, as safetensors.
#include "suites/imaging/training_state.hpp"

#include <string>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "common/base/error.hpp"
#include "suites/imaging/training.hpp"

namespace scalemark::imaging {
namespace {

using torch_support::NamedTensors;

const at::Tensor& taken(const NamedTensors& tensors, const std::string& name) {
  const auto found = tensors.find(name);
  if (found == tensors.end()) throw InputError(fmt::format("the saved state has no '{}'", name));
  return found->second;
}

/// Copies `name` over `target`, which must have the same shape and type.
void copy_into(at::Tensor target, const NamedTensors& tensors, const std::string& name) {
  const at::Tensor& saved = taken(tensors, name);
  if (saved.sizes() != target.sizes() || saved.scalar_type() != target.scalar_type())
    throw InputError(fmt::format("'{}' of the saved state has another shape or type", name));
  target.copy_(saved);
}

template <typename T>
at::Tensor tensor_of(const std::vector<T>& values) {
  constexpr bool real = std::is_floating_point_v<T>;
  at::Tensor tensor =
      at::empty({static_cast<std::int64_t>(values.size())}, real ? at::kDouble : at::kLong);
  std::copy(values.begin(), values.end(),
            tensor.mutable_data_ptr<std::conditional_t<real, double, std::int64_t>>());
  return tensor;
}

template <typename T>
void read_values(const NamedTensors& tensors, const std::string& name, std::vector<T>& values) {
  using Stored = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;
  const at::Tensor& saved = taken(tensors, name);
  if (saved.dim() != 1 || saved.scalar_type() != c10::CppTypeToScalarType<Stored>::value)
    throw InputError(fmt::format("'{}' of the saved state is no list of numbers", name));
  const auto* data = saved.const_data_ptr<Stored>();
  values.assign(data, data + saved.numel());
}

/// Calls `use` with name and values of each record.
template <typename SomeHistory, typename Use>
void for_each_record(SomeHistory& history, Use use) {
  use("step_time", history.steps.time);
  use("step_wait", history.steps.wait);
  use("step_exposed_communication", history.steps.exposed_communication);
  use("step_loss", history.steps.loss);
  use("epoch_time", history.epochs.time);
  use("epoch_start_pause", history.epochs.start_pause);
  use("epoch_test_pause", history.epochs.test_pause);
  use("epoch_train_loss", history.epochs.train_loss);
  use("epoch_train_accuracy", history.epochs.train_accuracy);
  use("epoch_test_loss", history.epochs.test_loss);
  use("epoch_test_accuracy", history.epochs.test_accuracy);
  use("epoch_since_start", history.epochs.since_start);
}

std::string momentum_name(std::size_t index) { return fmt::format("momentum.{}", index); }

/// The momentum of a parameter; undefined before its first step.
at::Tensor momentum_of(torch::optim::SGD& optimiser, const at::Tensor& parameter) {
  const auto found = optimiser.state().find(parameter.unsafeGetTensorImpl());
  if (found == optimiser.state().end()) return {};
  return static_cast<torch::optim::SGDParamState&>(*found->second).momentum_buffer();
}

NamedTensors shared_part(Trainer& trainer) {
  NamedTensors tensors;
  for (const auto& item : trainer.model().named_parameters())
    tensors["parameter." + item.key()] = item.value();
  const std::vector<at::Tensor> parameters = trainer.model().parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const at::Tensor momentum = momentum_of(trainer.optimiser(), parameters[i]);
    if (momentum.defined()) tensors[momentum_name(i)] = momentum;
  }
  const auto scaler = trainer.scaler().state();
  tensors["scaler"] = tensor_of(
      std::vector<double>{scaler.scale, static_cast<double>(scaler.steps_without_overflow),
                          static_cast<double>(scaler.skipped)});
  return tensors;
}

void restore_shared(const NamedTensors& tensors, Trainer& trainer) {
  for (const auto& item : trainer.model().named_parameters())
    copy_into(item.value(), tensors, "parameter." + item.key());
  const std::vector<at::Tensor> parameters = trainer.model().parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!tensors.contains(momentum_name(i))) continue;
    auto state = std::make_unique<torch::optim::SGDParamState>();
    at::Tensor momentum = at::empty_like(parameters[i]);
    copy_into(momentum, tensors, momentum_name(i));
    state->momentum_buffer(momentum);
    trainer.optimiser().state()[parameters[i].unsafeGetTensorImpl()] = std::move(state);
  }
  std::vector<double> scaler;
  read_values(tensors, "scaler", scaler);
  if (scaler.size() != 3) throw InputError("the saved state has no valid 'scaler'");
  trainer.scaler().restore(
      {scaler[0], static_cast<std::int64_t>(scaler[1]), static_cast<std::int64_t>(scaler[2])});
}

/// The generators that a training draws from.
std::vector<std::pair<std::string, at::Generator>> generators(c10::Device device) {
  std::vector<std::pair<std::string, at::Generator>> all{
      {"random.cpu", at::globalContext().defaultGenerator(c10::Device(c10::kCPU))}};
  if (!device.is_cpu())
    all.emplace_back("random.device", at::globalContext().defaultGenerator(device));
  return all;
}

NamedTensors own_part(Trainer& trainer, const History& history, const Progress& progress) {
  NamedTensors tensors;
  for (const auto& item : trainer.model().named_buffers())
    tensors["buffer." + item.key()] = item.value();
  for (auto& [name, generator] : generators(trainer.model().parameters().front().device())) {
    const std::lock_guard lock(generator.mutex());
    tensors[name] = generator.get_state();
  }
  for_each_record(history,
                  [&](const char* name, const auto& values) { tensors[name] = tensor_of(values); });
  tensors["progress"] = tensor_of(std::vector<std::int64_t>{
      progress.epoch, progress.loaded, progress.tally.right, progress.tally.images,
      progress.tally.batches, static_cast<std::int64_t>(progress.epoch_time),
      static_cast<std::int64_t>(progress.since_start), history.images_computed,
      history.loaded_bytes});
  tensors["tally_loss"] = tensor_of(std::vector<double>{progress.tally.loss});
  return tensors;
}

void restore_own(const NamedTensors& tensors, Trainer& trainer, History& history,
                 Progress& progress) {
  for (const auto& item : trainer.model().named_buffers())
    copy_into(item.value(), tensors, "buffer." + item.key());
  for (auto& [name, generator] : generators(trainer.model().parameters().front().device())) {
    const std::lock_guard lock(generator.mutex());
    generator.set_state(taken(tensors, name));
  }
  for_each_record(history,
                  [&](const char* name, auto& values) { read_values(tensors, name, values); });
  std::vector<std::int64_t> numbers;
  std::vector<double> loss;
  read_values(tensors, "progress", numbers);
  read_values(tensors, "tally_loss", loss);
  if (numbers.size() != 9 || loss.size() != 1 || *std::ranges::min_element(numbers) < 0)
    throw InputError("the saved state has no valid 'progress'");
  progress = {.epoch = numbers[0],
              .loaded = numbers[1],
              .tally = {loss[0], numbers[2], numbers[3], numbers[4]},
              .epoch_time = static_cast<std::uint64_t>(numbers[5]),
              .since_start = static_cast<std::uint64_t>(numbers[6])};
  history.images_computed = numbers[7];
  history.loaded_bytes = numbers[8];
}

}  // namespace

Case::State pack_state(Trainer& trainer, const History& history, const Progress& progress) {
  return {torch_support::to_safetensors(shared_part(trainer)),
          torch_support::to_safetensors(own_part(trainer, history, progress))};
}

std::optional<SavedTraining> saved_training(const Case& c) {
  const std::optional<Case::State> state = c.saved();
  if (!state) return std::nullopt;
  const std::string source = "the saved state of this case";
  return SavedTraining{torch_support::from_safetensors(state->shared, source),
                       torch_support::from_safetensors(state->own, source)};
}

void restore(const SavedTraining& saved, Trainer& trainer, History& history, Progress& progress) {
  const at::NoGradGuard no_grad;
  restore_shared(saved.shared, trainer);
  restore_own(saved.own, trainer, history, progress);
}

}  // namespace scalemark::imaging
