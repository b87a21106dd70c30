// SPDX-License-Identifier: Apache-2.0
// `scalemark run --probe`: whether MPI takes device memory, tried where nothing can be lost.
#pragma once

#include "common/cli/commands/run_options.hpp"
#include "common/mpi/environment.hpp"

namespace scalemark::cli {

/// Collective over the job. Tries each use of device memory, prints what came of it, and leaves a
/// proof for each node in the cache folder, which grows use by use: one that ends the process
/// leaves those before it proven. Does nothing where a proof of this job stands (unless --force).
/// Returns the exit code: 0, 4 where nothing could be tried, 6 for wrong bytes. Throws UsageError
/// on all ranks alike, other errors where they happened.
int probe(const mpi::Environment& environment, const RunOptions& options);

}  // namespace scalemark::cli
