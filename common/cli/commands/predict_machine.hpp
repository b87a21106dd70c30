// SPDX-License-Identifier: Apache-2.0
// `scalemark predict --from ... --machine ...`: what a measured step takes on another machine.
#pragma once

#include <string>

#include "common/cli/commands/predict_from_rows.hpp"
#include "common/core/benchmark.hpp"

namespace scalemark::cli {

/// Prints what a step of each training in `request.files` takes on the machine of
/// `request.machine`, by the rows of its operations on both; beside it what the training took
/// there, where those files have it. With numbers of ranks it predicts as predict_training().
/// Returns the exit code: `nothing` where there is no such training, or rows are missing, with the
/// commands that measure them. Throws UsageError for a page, InputError as the reader.
int predict_on_machine(const RowPrediction& request, const Benchmark& benchmark,
                       const std::string& format);

}  // namespace scalemark::cli
