// SPDX-License-Identifier: Apache-2.0
// Which ranks of a node read the same clock.
#pragma once

#include <span>
#include <string>

namespace scalemark::clock {

/// What names this process' time namespace (time_namespaces(7)): processes of one kernel with equal
/// names read the same CLOCK_MONOTONIC, others may be set apart by an offset. Empty where the
/// system does not tell; it then has no such namespaces.
std::string time_namespace();

/// The first rank of the node whose clock `rank` reads, given the names of the ranks' time
/// namespaces in order. A rank without a name is taken to read rank 0's clock.
int first_of_domain(std::span<const std::string> names, int rank);

}  // namespace scalemark::clock
