// SPDX-License-Identifier: Apache-2.0
// Packs and restores the state of a training.
#include "suites/imaging/train/loop_state.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "common/base/error.hpp"
#include "suites/imaging/train/loop.hpp"

namespace scalemark::imaging {
namespace {

using torch_support::copy_saved;
using torch_support::NamedTensors;
using torch_support::saved_values;
using torch_support::to_saved;

/// Calls `use` with name and values of each recorded series.
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

/// Momentum buffer of a parameter; undefined before its first step.
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
  tensors["scaler"] =
      to_saved(std::vector<double>{scaler.scale, static_cast<double>(scaler.steps_without_overflow),
                                   static_cast<double>(scaler.skipped)});
  return tensors;
}

void restore_shared(const NamedTensors& tensors, Trainer& trainer) {
  for (const auto& item : trainer.model().named_parameters())
    copy_saved(item.value(), tensors, "parameter." + item.key());
  const std::vector<at::Tensor> parameters = trainer.model().parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!tensors.contains(momentum_name(i))) continue;
    auto state = std::make_unique<torch::optim::SGDParamState>();
    at::Tensor momentum = at::empty_like(parameters[i]);
    copy_saved(momentum, tensors, momentum_name(i));
    state->momentum_buffer(momentum);
    trainer.optimiser().state()[parameters[i].unsafeGetTensorImpl()] = std::move(state);
  }
  const auto scaler = saved_values<double>(tensors, "scaler");
  if (scaler.size() != 3) throw InputError("the checkpoint has no valid 'scaler'");
  trainer.scaler().restore(
      {scaler[0], static_cast<std::int64_t>(scaler[1]), static_cast<std::int64_t>(scaler[2])});
}

c10::Device device_of(Trainer& trainer) { return trainer.model().parameters().front().device(); }

NamedTensors own_part(Trainer& trainer, const History& history, const Progress& progress) {
  NamedTensors tensors = torch_support::random_states(device_of(trainer));
  for (const auto& item : trainer.model().named_buffers())
    tensors["buffer." + item.key()] = item.value();
  for_each_record(history,
                  [&](const char* name, const auto& values) { tensors[name] = to_saved(values); });
  tensors["progress"] = to_saved(std::vector<std::int64_t>{
      progress.epoch, progress.loaded, progress.tally.right, progress.tally.images,
      progress.tally.batches, static_cast<std::int64_t>(progress.epoch_time),
      static_cast<std::int64_t>(progress.since_start), history.images_computed,
      history.loaded_bytes});
  tensors["tally_loss"] = to_saved(std::vector<double>{progress.tally.loss});
  return tensors;
}

void restore_own(const NamedTensors& tensors, Trainer& trainer, History& history,
                 Progress& progress) {
  for (const auto& item : trainer.model().named_buffers())
    copy_saved(item.value(), tensors, "buffer." + item.key());
  torch_support::restore_random(tensors, device_of(trainer));
  for_each_record(history, [&](const char* name, auto& values) {
    torch_support::restore_values(values, tensors, name);
  });
  const auto numbers = saved_values<std::int64_t>(tensors, "progress");
  const auto loss = saved_values<double>(tensors, "tally_loss");
  if (numbers.size() != 9 || loss.size() != 1 || *std::ranges::min_element(numbers) < 0)
    throw InputError("the checkpoint has no valid 'progress'");
  progress = {.epoch = numbers[0],
              .loaded = numbers[1],
              .tally = {loss[0], numbers[2], numbers[3], numbers[4]},
              .epoch_time = static_cast<std::uint64_t>(numbers[5]),
              .since_start = static_cast<std::uint64_t>(numbers[6])};
  history.images_computed = numbers[7];
  history.loaded_bytes = numbers[8];
}

}  // namespace

torch_support::SavedTraining pack_state(Trainer& trainer, const History& history,
                                        const Progress& progress) {
  return {.shared = shared_part(trainer), .own = own_part(trainer, history, progress)};
}

void restore_state(const torch_support::SavedTraining& saved, Trainer& trainer, History& history,
                   Progress& progress) {
  const at::NoGradGuard no_grad;
  restore_shared(saved.shared, trainer);
  restore_own(saved.own, trainer, history, progress);
}

}  // namespace scalemark::imaging
