// SPDX-License-Identifier: Apache-2.0
// Messages as flows that share the links of a network.
#pragma once

#include <vector>

#include "common/predict/loggops.hpp"
#include "common/predict/network.hpp"
#include "common/predict/schedule.hpp"

namespace scalemark::predict {

/// ns from the start of all ranks until each rank has finished. A message waits o and the route's
/// latency, then flows, at the max-min fair rate of its links (SharedLinks), at most 1 / G. The
/// receiver needs o more. Within a host L stands for the latency, and 1 / G for the rate. Costs g,
/// O and S do not count here. Throws UsageError for fewer ranks in the network than in the
/// schedule, and for more than 4 * 10^7 messages.
std::vector<double> simulate(const Schedule& schedule, const LogGops& costs,
                             const Network& network);

}  // namespace scalemark::predict
