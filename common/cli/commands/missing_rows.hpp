// SPDX-License-Identifier: Apache-2.0
// Commands that measure the rows that a training's step lacks.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "common/core/workload.hpp"

namespace scalemark::cli {

/// Adds the parts whose rows are not among `missing` yet.
void add_missing(const std::vector<WorkloadPart>& parts, std::vector<WorkloadPart>& missing);

/// "scalemark run ..." without an output, for several ranks behind "mpirun -n RANKS", as few as
/// lists of one axis allow.
std::vector<std::string> measuring_commands(const std::vector<WorkloadPart>& missing);

/// Prints on standard error of which trainings the operations are not known: reasons by key.
void print_unknown_operations(const std::string& subcommand,
                              const std::map<std::string, std::string>& reasons);

/// Prints on standard error how many rows a roofline stands for, and what measures them.
void print_estimated_rows(const std::string& subcommand,
                          const std::vector<WorkloadPart>& estimated);

/// Prints on standard error, so that JSON stays JSON, how many rows are missing and what measures
/// them. `where`: " in the files of --machine", or empty. `first`: number of the first file.
void print_missing_rows(const std::string& subcommand, const std::vector<WorkloadPart>& missing,
                        const std::string& where, std::size_t first = 1);

}  // namespace scalemark::cli
