// SPDX-License-Identifier: Apache-2.0
// The rows of a step's operations on the machine of --from and on that of --machine.
#pragma once

#include <optional>
#include <vector>

#include "common/cli/commands/explain_rows.hpp"
#include "common/cli/commands/predict_from_rows.hpp"

namespace scalemark::cli {

class TwoMachines {
 public:
  /// Reads the files of both. Throws as StepRows::read().
  explicit TwoMachines(const RowPrediction& request);

  const StepRows& here() const { return here_; }    ///< of --from
  const StepRows& there() const { return there_; }  ///< of --machine

  struct Steps {
    predict::StepExplanation here, there;
    /// There, with all operations scaled by rooflines; empty where a rate is missing.
    std::optional<predict::StepExplanation> by_roofs;
  };
  /// The step of a training of here() by the rows of both. Operations that were not measured there
  /// are scaled by rooflines. Nothing where rows are missing; print_missing() says which.
  std::optional<Steps> explain(const Training& training);

  /// Prints the commands that measure what explain() lacked. Returns whether it lacked nothing.
  bool print_missing() const;

 private:
  StepRows here_, there_, roofs_there_;
  std::vector<WorkloadPart> missing_here_, missing_there_;
};

}  // namespace scalemark::cli
