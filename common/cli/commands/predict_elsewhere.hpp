// SPDX-License-Identifier: Apache-2.0
// Trainings as they would compute on another machine.
#pragma once

#include <cstdint>
#include <vector>

#include "common/cli/commands/predict_from_rows.hpp"
#include "common/cli/commands/predict_training_rows.hpp"

namespace scalemark::cli {

/// Makes the times of `trainings`, read from the files of --from, those of the machine of
/// --machine: as many times longer as the rows of their operations take there, without messages. Of
/// each training the numbers of ranks are left that predictions on `ranks` start from, and what was
/// measured there on these. Returns false, after it has printed the reasons, where operations are
/// not known or their rows are missing. Throws as StepRows::read().
bool move_elsewhere(const RowPrediction& request, const std::vector<std::int64_t>& ranks,
                    std::vector<TrainingRows>& trainings);

}  // namespace scalemark::cli
