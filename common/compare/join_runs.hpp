// SPDX-License-Identifier: Apache-2.0
// Joins runs that were read from several files, and refuses files given twice.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "common/compare/digest.hpp"

namespace scalemark::compare {

/// Joins the parts of a run. Parts have no case in common and share the uuid, or the source, side
/// and name of an import. Returns for each given run its index in the joined list.
std::vector<std::size_t> join_runs(std::vector<RunDigest>& runs);

/// Adds runs to `seen` (uuid -> label). Throws UsageError for a run, or part of one, that is
/// already in it: a run counted twice would look like a repetition without noise.
void refuse_repeats(std::span<const RunDigest> runs, std::map<std::string, std::string>& seen);

}  // namespace scalemark::compare
