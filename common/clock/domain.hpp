// SPDX-License-Identifier: Apache-2.0
// Clock domains: which ranks of a node read the same clock.
#pragma once

#include <span>
#include <string>

namespace scalemark::clock {

/// Identifier of this process's time namespace (time_namespaces(7)). Processes of one kernel with
/// equal identifiers read the same CLOCK_MONOTONIC; in another namespace the clock may have an
/// offset. Empty if the kernel has no time namespaces.
std::string time_namespace();

/// The first rank of the node that reads the same clock as `rank`. `names`: time_namespace() of
/// each rank of the node. A rank with an empty name counts as reading rank 0's clock.
int first_of_domain(std::span<const std::string> names, int rank);

}  // namespace scalemark::clock
