// SPDX-License-Identifier: Apache-2.0
// When each rank has finished a collective, message by message.
#pragma once

#include <cstdint>
#include <vector>

#include "common/predict/loggops.hpp"
#include "common/predict/schedule.hpp"

namespace scalemark::predict {

/// ns from the start of all ranks until each rank has finished, by LogGOPS, where no two messages
/// share a link. A send takes the CPU for o + (s - 1) O and the interface for g + (s - 1) G. The
/// message is there o + L after its start. To receive it takes the CPU o + (s - 1) max(G, O) more.
/// The sender of a message of more than S bytes waits until the receiver has taken it, and L
/// longer. Throws UsageError for more than 2 * 10^9 messages.
std::vector<std::uint64_t> simulate(const Schedule& schedule, const LogGops& costs);

/// Throws UsageError if the schedule has more messages than a simulation can take in seconds.
void check_size(const Schedule& schedule, double largest);
/// Throws UsageError if 63 bits do not hold a time, or if it is no number. ns.
void check_time(double ns);

}  // namespace scalemark::predict
