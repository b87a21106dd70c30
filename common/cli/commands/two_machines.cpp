// SPDX-License-Identifier: Apache-2.0
// Reads the rows of two machines.
#include "common/cli/commands/two_machines.hpp"

#include "common/cli/commands/missing_rows.hpp"

namespace scalemark::cli {

TwoMachines::TwoMachines(const RowPrediction& request)
    : here_(read_step_rows(request.files)),
      there_(read_step_rows(request.machine)),
      roofs_there_(there_.roofs_alone()) {}

std::optional<TwoMachines::Steps> TwoMachines::explain(const Training& training) {
  const auto none = [](const WorkloadPart&) -> std::optional<StepRows::Estimated> {
    return std::nullopt;
  };
  const Explained here = here_.explain(training, none), there = there_.explain(training, here_);
  add_missing(here.missing, missing_here_);
  add_missing(there.missing, missing_there_);
  if (!here.missing.empty() || !there.missing.empty()) return std::nullopt;
  Steps steps{here.step, there.step, {}};
  const Explained by_roofs = roofs_there_.explain(training, here_);
  if (by_roofs.missing.empty()) steps.by_roofs = by_roofs.step;
  return steps;
}

bool TwoMachines::print_missing() const {
  if (!missing_here_.empty())
    print_missing_rows("predict", missing_here_, " in the files of --from");
  if (!missing_there_.empty())
    print_missing_rows("predict", missing_there_, " in the files of --machine",
                       measuring_commands(missing_here_).size() + 1);
  return missing_here_.empty() && missing_there_.empty();
}

}  // namespace scalemark::cli
