// SPDX-License-Identifier: Apache-2.0
// What the tables of a case say of a rank: the middle of its samples, and where it runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::micro {

/// The middle of so many nanoseconds, of two middles the larger; there is at least one.
double median_ns(std::vector<std::uint64_t> values);

/// "node2 numa 1"; of a rank that is bound to no single NUMA node "node2".
std::string place_text(const RankInfo& rank);

}  // namespace scalemark::micro
