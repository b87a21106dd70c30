// SPDX-License-Identifier: Apache-2.0
// Records where the ranks of a case ran, if a resumed run has moved.
#pragma once

#include <vector>

#include "common/result/model.hpp"

namespace scalemark {

/// The table of a case whose ranks ran on other hosts, GPUs or CPUs than Run::ranks says.
constexpr const char* kPlacesTable = "places";

/// A row for each rank.
Table places_table(const std::vector<RankInfo>& ranks);

/// Where the ranks of the job ran while this case was measured: from the case's own table, else
/// from the run. Values missing in files of an earlier version are empty, or -1.
std::vector<RankInfo> ranks_of_case(const CaseResult& result, const std::vector<RankInfo>& of_run);

/// Whether there are ranks, and all are on the same host.
bool are_on_one_host(const std::vector<RankInfo>& ranks);

}  // namespace scalemark
