// SPDX-License-Identifier: Apache-2.0
// Benchmark micro/event: host time of a call on an event, or of a wait with nothing to wait for.
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "common/device/event_calls.hpp"
#include "suites/micro/launch/event_work.hpp"

namespace scalemark::micro {
namespace {

void event(Case& c) {
  const auto calls = device::make_event_calls(c.hardware().gpu(), c.flag("timing"));
  measure_event_calls(c, *calls, c.text("operation"));
}

SCALEMARK_BENCHMARK("micro/event", event)
    .doc("Host time of a call: events recorded, waited for, made, destroyed; waits for an idle GPU")
    .rank_local()
    .axis("operation", {.values = event_operations()})
    .axis_boolean("timing", {.defaults = {true},
                             .implied = true,
                             .doc = "Events that record a time, or without"})
    .where([](const Point& p) {
      const std::string& operation = p.text("operation");
      // Elapsed time needs events with timing; stream and device waits use no events.
      return p.flag("timing") || (operation != "elapsed" && operation != "stream_synchronize" &&
                                  operation != "device_synchronize");
    })
    .works_on_gpu([](const Point&) { return true; })
    .needs("a CUDA device");

}  // namespace
}  // namespace scalemark::micro
