// SPDX-License-Identifier: Apache-2.0
// Predicts the cases of a planned job that no run measured.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/cli/commands/missing_messages.hpp"
#include "common/cli/commands/predict_collective.hpp"
#include "common/cli/commands/predict_training_rows.hpp"
#include "common/cli/commands/predict_training_step.hpp"
#include "common/compare/planning/job_plan.hpp"
#include "common/compare/planning/run_cost.hpp"
#include "common/core/plan.hpp"

namespace scalemark::cli {

/// Predicts collectives from rows on other ranks or of other sizes, and trainings from their steps
/// on other ranks. The ranks of the job fill one node after the other.
class CasePredictions {
 public:
  /// `costs`: of the runs in `files`. Throws as read_training_rows() and Collectives where they are
  /// first needed.
  CasePredictions(const std::vector<std::string>& files, const std::vector<compare::RunCost>& costs,
                  const compare::JobShape& shape)
      : files_(files), costs_(costs), shape_(shape), collectives_(files) {}

  /// Adds the figure of a case, and of a training its duration. Nothing where no rows tell them.
  void add(const PlannedCase& planned, compare::JobCase& one);

  /// Messages of trainings that could otherwise have been predicted.
  const MissingSizes& missing_messages() const { return missing_; }

 private:
  void add_collective(const PlannedCase& planned, compare::JobCase& one);
  void add_training(const PlannedCase& planned, compare::JobCase& one);
  void add_duration(const PlannedCase& planned, const TrainingRows& rows, const StepLine& line,
                    compare::JobCase& one) const;
  const std::vector<TrainingRows>& trainings(const Benchmark& benchmark);
  const TrainingErrors& errors(const Benchmark& benchmark);

  const std::vector<std::string>& files_;
  const std::vector<compare::RunCost>& costs_;
  compare::JobShape shape_;
  Collectives collectives_;
  std::map<std::string, std::vector<TrainingRows>> trainings_;  ///< by benchmark
  std::map<std::string, TrainingErrors> errors_;                ///< by benchmark
  MissingSizes missing_;
};

}  // namespace scalemark::cli
