// SPDX-License-Identifier: Apache-2.0
// Stores profiles in a table of the result file.
#pragma once

#include <span>
#include <string>

#include "common/profile/activity.hpp"
#include "common/result/model.hpp"

namespace scalemark::profile {

/// One rank's part of the table as text, to be sent to another rank. In names, blanks become '_'
/// and control characters '?'.
std::string pack_regions(const ActivityTotals& totals);

/// Builds the table from the texts of all ranks. It has a row per rank and region with any
/// activity. Columns: rank; region (copy, call, nccl, kernel); name (htod, cudaMemcpyAsync, an NCCL
/// kernel, other); count; bytes (of copies); time (ns, sum of durations); covered (ns, union of
/// durations). Throws Error for texts that pack_regions() cannot have written.
Table region_table(std::span<const std::string> packed_by_rank);

}  // namespace scalemark::profile
