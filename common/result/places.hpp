// SPDX-License-Identifier: Apache-2.0
// Where the ranks of a case ran, if a resumed run has moved.
#pragma once

#include <vector>

#include "common/result/model.hpp"

namespace scalemark {

/// The table of a case whose ranks ran on other hosts, GPUs or CPUs than Run::ranks says.
constexpr const char* kPlacesTable = "places";

/// A row for each rank.
Table places_table(const std::vector<RankInfo>& ranks);

/// Where the ranks of the job ran while this case was measured: its own table, else those of the
/// run. What the table of an earlier version does not say is empty, or -1.
std::vector<RankInfo> ranks_of_case(const CaseResult& result, const std::vector<RankInfo>& of_run);

}  // namespace scalemark
