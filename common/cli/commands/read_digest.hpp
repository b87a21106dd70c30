// SPDX-License-Identifier: Apache-2.0
// Reads runs from files and reduces them to digests.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "common/compare/digest.hpp"
#include "common/compare/planning/run_cost.hpp"
#include "common/store/reader.hpp"

namespace scalemark::cli {

/// Reads case by case and keeps only the digest: the samples of a run need not fit into memory.
/// `also`, if set, also sees the header and each case. Throws InputError, also for a run on the
/// software GPU.
compare::RunDigest read_digest(const std::filesystem::path& file, const RunVisitor& also = {});

/// The digests of all runs that the paths name (find_runs()), in order; the parts of a run are
/// joined. `also` sees the header and cases of each run.
std::vector<compare::RunDigest> read_digests(const std::vector<std::filesystem::path>& paths,
                                             const RunVisitor& also = {});

/// Runs and what they cost, in the same order.
struct CostedRuns {
  std::vector<compare::RunDigest> runs;
  std::vector<compare::RunCost> costs;
};

/// As read_digests(), with costs. `header`, if set, sees each file's header.
CostedRuns read_costed_runs(
    const std::vector<std::filesystem::path>& paths,
    const std::function<void(const std::filesystem::path&, const Run&)>& header = {});

}  // namespace scalemark::cli
