// SPDX-License-Identifier: Apache-2.0
// Messages as flows that share the links of a network.
#pragma once

#include <vector>

#include "common/predict/loggops.hpp"
#include "common/predict/network.hpp"
#include "common/predict/schedule.hpp"

namespace scalemark::predict {

/// ns from the start of all ranks until each rank has finished. A message waits o and the route's
/// latency, then flows. At each moment all flows have the max-min fair rates of their links: the
/// flows of the link that gives each of its flows the least get that rate, the others share what is
/// left. No flow is faster than 1 / G. The receiver needs o more. Within a host L stands for the
/// latency, and 1 / G for the rate. Costs g, O and S do not count here. Throws UsageError for fewer
/// ranks in the network than in the schedule, and for more than 2 * 10^6 messages.
std::vector<double> simulate(const Schedule& schedule, const LogGops& costs,
                             const Network& network);

}  // namespace scalemark::predict
