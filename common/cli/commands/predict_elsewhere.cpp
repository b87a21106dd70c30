// SPDX-License-Identifier: Apache-2.0
// Scales measured steps by the rows of their operations on two machines.
#include "common/cli/commands/predict_elsewhere.hpp"

#include <map>
#include <string>
#include <utility>

#include "common/base/key.hpp"
#include "common/cli/commands/missing_rows.hpp"
#include "common/cli/commands/predict_training_step.hpp"
#include "common/cli/commands/two_machines.hpp"
#include "common/predict/step_parts.hpp"

namespace scalemark::cli {
namespace {

/// A training: its key without ranks, and ranks.
using KeyAndRanks = std::pair<std::string, std::int64_t>;

std::map<KeyAndRanks, const Training*> by_ranks(const StepRows& rows) {
  std::map<KeyAndRanks, const Training*> all;
  for (const auto& [key, training] : rows.trainings())
    all[{key_without(key, {"ranks"}), training.point.integer("ranks")}] = &training;
  return all;
}

}  // namespace

bool move_elsewhere(const RowPrediction& request, const std::vector<std::int64_t>& ranks,
                    std::vector<TrainingRows>& trainings) {
  TwoMachines machines(request);
  const auto here = by_ranks(machines.here()), there = by_ranks(machines.there());
  std::map<std::string, std::string> unknown;
  for (TrainingRows& rows : trainings) {
    rows.is_elsewhere = true;
    std::map<int, MeasuredTraining> moved;
    for (const std::int64_t target : ranks) {
      const auto* const start = start_for(rows, static_cast<int>(target));
      if (start == nullptr || moved.contains(start->first)) continue;
      const auto known = here.find({rows.key, start->first});
      if (known == here.end()) continue;
      if (const auto steps = machines.explain(*known->second))
        moved[start->first] = scaled(
            start->second, predict::factor_elsewhere(steps->here, steps->there, kCommunication));
    }
    for (const std::int64_t target : ranks) {
      const auto own = there.find({rows.key, target});
      if (own != there.end()) moved[static_cast<int>(target)].step = own->second->seconds;
    }
    rows.by_ranks = std::move(moved);
  }
  for (const auto& [key, reason] : machines.here().unknown_trainings()) {
    for (const TrainingRows& rows : trainings) {
      if (key_without(key, {"ranks"}) == rows.key) unknown[key] = reason;
    }
  }
  print_unknown_operations("predict", unknown);
  return machines.print_missing() && unknown.empty();
}

}  // namespace scalemark::cli
