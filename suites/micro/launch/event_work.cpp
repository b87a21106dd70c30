// SPDX-License-Identifier: Apache-2.0
// Measures the host time of calls on events.
#include "suites/micro/launch/event_work.hpp"

#include <functional>

#include "common/base/clock.hpp"

namespace scalemark::micro {
namespace {

using device::EventCalls;

/// Calls per sample that enqueue or allocate: few, so that none waits for space in a queue.
constexpr int kCalls = 32;

void create_recorded(EventCalls& calls) {
  calls.create();
  calls.record();
}

/// Times calls that change nothing.
void measure_wait(Case& c, EventCalls& calls, void (EventCalls::*wait)()) {
  create_recorded(calls);
  create_recorded(calls);
  calls.synchronize_stream();
  c.measure([&] { (calls.*wait)(); }, {.metric = "time", .inner = 0, .barrier = false});
}

/// Timed calls between untimed preparation and clean-up; each function gets the number of calls.
struct Steps {
  std::function<void(int)> prepare;
  void (EventCalls::*call)();
  std::function<void(int)> clean;
};

void measure_steps(Case& c, EventCalls& calls, const Steps& steps) {
  const auto sample = [&](std::uint64_t inner) {
    const auto count = static_cast<int>(inner);
    steps.prepare(count);
    const std::uint64_t began = now_ns();
    for (int i = 0; i < count; ++i) (calls.*steps.call)();
    const std::uint64_t taken = now_ns() - began;
    steps.clean(count);
    return taken;
  };
  c.measure_timed(sample, {.metric = "time", .inner = kCalls, .barrier = false});
}

Steps steps_of(EventCalls& calls, const std::string& operation) {
  const auto nothing = [](int) {};
  const auto destroy = [&calls](int count) {
    for (int i = 0; i < count; ++i) calls.destroy();
  };
  const auto create_reached = [&calls](int count) {
    for (int i = 0; i < count; ++i) create_recorded(calls);
    calls.synchronize_stream();
  };
  if (operation == "create") return {nothing, &EventCalls::create, destroy};
  if (operation == "destroy") return {create_reached, &EventCalls::destroy, nothing};
  calls.create();
  return {nothing, &EventCalls::record, [&calls](int) { calls.synchronize_stream(); }};
}

}  // namespace

const std::vector<std::string>& event_operations() {
  static const std::vector<std::string> names = {
      "record",  "synchronize",        "elapsed",           "create",
      "destroy", "stream_synchronize", "device_synchronize"};
  return names;
}

void measure_event_calls(Case& c, EventCalls& calls, const std::string& operation) {
  if (operation == "synchronize")
    measure_wait(c, calls, &EventCalls::synchronize);
  else if (operation == "elapsed")
    measure_wait(c, calls, &EventCalls::elapsed);
  else if (operation == "stream_synchronize")
    measure_wait(c, calls, &EventCalls::synchronize_stream);
  else if (operation == "device_synchronize")
    measure_wait(c, calls, &EventCalls::synchronize_device);
  else
    measure_steps(c, calls, steps_of(calls, operation));
  c.fact("moved_bytes", std::int64_t{0});
  c.fact("peak_missing", std::string("the call moves and computes nothing"));
}

}  // namespace scalemark::micro
