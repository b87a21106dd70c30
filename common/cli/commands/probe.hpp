// SPDX-License-Identifier: Apache-2.0
// `scalemark run --probe`: tests whether MPI accepts device memory, before a run depends on it.
#pragma once

#include "common/cli/commands/run_options.hpp"
#include "common/mpi/environment.hpp"

namespace scalemark::cli {

/// Collective over the job. Tries each use of device memory, prints the result, and stores a proof
/// per node in the cache folder. The proof is written after each use: if one use ends the process,
/// the earlier ones stay proven.
/// Does nothing if a proof of this job exists (unless --force). Returns the exit code: 0, 4 if
/// nothing could be tried, 6 for wrong bytes. UsageError is thrown on all ranks, other errors only
/// on the rank that fails.
int probe(const mpi::Environment& environment, const RunOptions& options);

}  // namespace scalemark::cli
