// SPDX-License-Identifier: Apache-2.0
// The list of experiments, and values of axes that keys leave out.
#include "common/study/experiment.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark::study {

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> all = [] {
    std::vector<Experiment> both = imaging_experiments();
    std::ranges::move(llm_experiments(), std::back_inserter(both));
    return both;
  }();
  return all;
}

const Experiment& experiment_of(std::string_view id) {
  const auto found = std::ranges::find(experiments(), id, &Experiment::id);
  if (found != experiments().end()) return *found;
  std::vector<std::string> ids;
  for (const Experiment& one : experiments()) ids.push_back(one.id);
  throw UsageError(fmt::format("there is no table or figure '{}'{}; there are: {}",
                               text::printable(std::string(id), 80),
                               text::did_you_mean(std::string(id), ids), text::join(ids, ", ")));
}

RowAxis one_to_four_gpus() { return {"gpus", {"1", "2", "3", "4"}}; }

TableColumn profiled_seconds(std::string heading, std::string metric) {
  return {.heading = std::move(heading),
          .metrics = {std::move(metric)},
          .unit = "s",
          .sum_over_ranks = true};
}

TableColumn profiled_share(std::string heading, std::string metric) {
  return {
      .heading = std::move(heading), .metrics = {std::move(metric)}, .unit = "1", .percent = true};
}

std::string_view implied_value(std::string_view axis) {
  static constexpr std::array kImplied = {
      std::pair{"accumulation", "1"},      std::pair{"broadcast_buffers", "true"},
      std::pair{"checkpointing", "false"}, std::pair{"graphs", "false"},
      std::pair{"duration", "0"},          std::pair{"learning_rate", "0"},
      std::pair{"weight_decay", "-1"},     std::pair{"schedule", "recipe"},
      std::pair{"loader", "threads"},      std::pair{"offload", "false"},
      std::pair{"packed", "false"},        std::pair{"pad_multiple", "1"},
      std::pair{"pin_memory", "false"},    std::pair{"profile", "false"},
      std::pair{"replicas", "1"},          std::pair{"scenario", "a"},
      std::pair{"sequence", "0"},          std::pair{"storage", "per_rank"},
      std::pair{"test_images", "0"},       std::pair{"warmup_steps", "100"}};
  for (const auto& [name, value] : kImplied) {
    if (axis == name) return value;
  }
  return {};
}

}  // namespace scalemark::study
