// SPDX-License-Identifier: Apache-2.0
// `scalemark predict --from ... --workload imaging/train`: what a step takes on more ranks.
#pragma once

#include <string>

#include "common/cli/commands/predict_from_rows.hpp"
#include "common/core/benchmark.hpp"

namespace scalemark::cli {

/// A benchmark whose steps' communication is known; null for another name.
const Benchmark* training_named(const std::string& workload);

/// Prints a line for each number of ranks asked for: the slowest of so many ranks by the measured
/// steps, plus the messages of a step by measured rows of collectives. Returns the exit code:
/// `nothing` where rows are missing, with the commands that measure them. With --machine, what a
/// rank computes is scaled to that machine, and messages are by its rows. Throws as
/// predict_from_rows().
int predict_training(const RowPrediction& request, const Benchmark& benchmark,
                     const std::string& format);

}  // namespace scalemark::cli
