// SPDX-License-Identifier: Apache-2.0
// Packs and unpacks checkpoints of a fine-tuning.
#include "suites/llm/train/loop_state.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/base/error.hpp"

namespace scalemark::llm {
namespace {

using torch_support::NamedTensors;

/// Trained parameters and their optimiser state, with names that distinguish them.
NamedTensors trained(const Finetuner& finetuner) {
  NamedTensors tensors;
  const auto add = [&](const char* what, const std::vector<torch::Tensor>& list) {
    for (std::size_t i = 0; i < list.size(); ++i)
      tensors[fmt::format("{}.{}", what, i)] = list[i].detach();
  };
  const AdamW& optimiser = finetuner.optimiser();
  add("parameter", finetuner.parameters());
  add("mean", optimiser.means());
  add("square", optimiser.squares());
  add("updates", optimiser.updates());
  return tensors;
}

constexpr std::size_t kCommunicationNumbers = 5;  ///< values per step

std::vector<std::uint64_t> flat(const std::vector<Communication>& communication) {
  std::vector<std::uint64_t> numbers;
  for (const Communication& step : communication) {
    numbers.insert(numbers.end(), {step.exposed, step.traffic.gathers, step.traffic.gathered_bytes,
                                   step.traffic.reductions, step.traffic.reduced_bytes});
  }
  return numbers;
}

std::vector<Communication> communication_of(const NamedTensors& own, std::size_t steps) {
  const auto numbers = torch_support::saved_values<std::uint64_t>(own, "communication");
  if (numbers.size() != kCommunicationNumbers * steps)
    throw InputError("the checkpoint has no valid 'communication'");
  std::vector<Communication> communication;
  for (std::size_t i = 0; i < numbers.size(); i += kCommunicationNumbers) {
    communication.push_back({.exposed = numbers[i],
                             .traffic = {.gathers = numbers[i + 1],
                                         .gathered_bytes = numbers[i + 2],
                                         .reductions = numbers[i + 3],
                                         .reduced_bytes = numbers[i + 4]}});
  }
  return communication;
}

c10::Device device_of(const Finetuner& finetuner) {
  return finetuner.parameters().front().device();
}

std::vector<std::int64_t> numbers_of(const TrainingSettings& settings, const Finetuner& finetuner,
                                     const History& history) {
  return {finetuner.steps(),
          static_cast<std::int64_t>(settings.seed),
          static_cast<std::int64_t>(settings.start),
          history.loaded_bytes,
          history.widest,
          history.steps_without_labels};
}

}  // namespace

torch_support::SavedTraining pack_state(const TrainingSettings& settings,
                                        const Finetuner& finetuner, const History& history) {
  torch_support::SavedTraining state{.shared = {},
                                     .own = torch_support::random_states(device_of(finetuner))};
  for_each_record(history, [&](const std::string& name, const auto& values) {
    state.own[name] = torch_support::to_saved(values);
  });
  state.own["communication"] = torch_support::to_saved(flat(history.communication));
  state.own["numbers"] = torch_support::to_saved(numbers_of(settings, finetuner, history));
  (settings.sharded ? state.own : state.shared).merge(trained(finetuner));
  return state;
}

void restore_state(const torch_support::SavedTraining& saved, const TrainingSettings& settings,
                   Finetuner& finetuner, History& history) {
  const auto numbers = torch_support::saved_values<std::int64_t>(saved.own, "numbers");
  if (numbers.size() != numbers_of(settings, finetuner, history).size() || numbers[0] < 0)
    throw InputError("the checkpoint has no valid 'numbers'");
  if (numbers[1] != static_cast<std::int64_t>(settings.seed))
    throw InputError(fmt::format("the checkpoint is of seed {}", numbers[1]));
  if (numbers[2] != static_cast<std::int64_t>(settings.start))
    throw InputError("the checkpoint belongs to a training that started from other weights");
  history.observed.resize(finetuner.objective().terms().observed.size());
  for_each_record(history, [&](const std::string& name, auto& values) {
    torch_support::restore_values(values, saved.own, name);
    if (values.size() != static_cast<std::size_t>(numbers[0]))
      throw InputError(
          fmt::format("'{}' of the checkpoint does not have one number per step", name));
  });
  history.communication = communication_of(saved.own, static_cast<std::size_t>(numbers[0]));
  for (const auto& [name, tensor] : trained(finetuner))
    torch_support::copy_saved(tensor, settings.sharded ? saved.own : saved.shared, name);
  torch_support::restore_random(saved.own, device_of(finetuner));
  finetuner.set_steps(numbers[0]);
  history.loaded_bytes = numbers[3];
  history.widest = numbers[4];
  history.steps_without_labels = numbers[5];
}

}  // namespace scalemark::llm
