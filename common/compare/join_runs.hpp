// SPDX-License-Identifier: Apache-2.0
// One run that was read from several files, and one file that was given twice.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "common/compare/digest.hpp"

namespace scalemark::compare {

/// Joins runs that are parts of one: the same uuid, or imported under the same name (and side) from
/// the same kind of source, and no case in common. Parts with a case in common stay apart. Gives
/// the new place of each run that was given.
std::vector<std::size_t> join_runs(std::vector<RunDigest>& runs);

/// Throws UsageError for a run, or a part of one, that is in `seen` (uuid -> label) or comes twice:
/// counted twice it would pretend to repeat itself without noise. Adds the runs to `seen`.
void refuse_repeats(std::span<const RunDigest> runs, std::map<std::string, std::string>& seen);

}  // namespace scalemark::compare
