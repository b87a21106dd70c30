// SPDX-License-Identifier: Apache-2.0
// The work of messages that are under way together.
#pragma once

#include <string>
#include <vector>

#include "common/core/case.hpp"
#include "common/core/peaks/link_use.hpp"

namespace scalemark::micro {

/// All bytes of the flows, which `messages` messages carry between ranks.
Work work_of(std::vector<Flow> flows, double messages, const std::string& formula);

/// Makes the bandwidth the primary metric. Empty messages have a rate but no bandwidth.
void set_primary_rate(Case& c);

}  // namespace scalemark::micro
