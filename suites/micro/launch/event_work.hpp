// SPDX-License-Identifier: Apache-2.0
// Host time of calls on events.
#pragma once

#include <string>
#include <vector>

#include "common/core/case.hpp"
#include "common/device/event_calls.hpp"

namespace scalemark::micro {

/// Values of axis `operation`: record, synchronize, elapsed, create, destroy, stream_synchronize,
/// device_synchronize.
const std::vector<std::string>& event_operations();

/// Records metric `time` per call, with the device idle.
void measure_event_calls(Case& c, device::EventCalls& calls, const std::string& operation);

}  // namespace scalemark::micro
