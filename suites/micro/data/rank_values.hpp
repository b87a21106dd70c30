// SPDX-License-Identifier: Apache-2.0
// Per-rank values in the tables of a case: median of the samples, and location.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::micro {

/// Median in nanoseconds; of two middle values the larger. Needs at least one value.
double median_ns(std::vector<std::uint64_t> values);

/// Location of a rank: "node2 numa 1", or "node2" if it is not bound to a single NUMA node.
std::string place_text(const RankInfo& rank);

}  // namespace scalemark::micro
