// SPDX-License-Identifier: Apache-2.0
// A profile as a table that a result file keeps.
#pragma once

#include <span>
#include <string>

#include "common/profile/activity.hpp"
#include "common/result/model.hpp"

namespace scalemark::profile {

/// One rank's part of the table, as text that another rank can read. Names lose blanks and control
/// characters.
std::string pack_regions(const ActivityTotals& totals);

/// Of the ranks' parts, in their order, a row for each rank and region that did something: rank,
/// region (copy, call, nccl, kernel), name (htod, cudaMemcpyAsync, a kernel of NCCL's, other),
/// count, bytes (of copies), time (ns, sum of the durations), covered (ns, their union). Throws
/// Error for text that pack_regions() does not make.
Table region_table(std::span<const std::string> packed_by_rank);

}  // namespace scalemark::profile
