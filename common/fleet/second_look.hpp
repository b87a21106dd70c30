// SPDX-License-Identifier: Apache-2.0
// What a screening measures again.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/fleet/node_verdict.hpp"

namespace scalemark::fleet {

/// Rounds in which suspects meet five proven nodes each, then those of the pairs that were slow by
/// themselves.
std::vector<PairRound> to_confirm(std::size_t nodes, std::span<const PairTime> screened);

}  // namespace scalemark::fleet
