// SPDX-License-Identifier: Apache-2.0
// Goes through the starts and the needs of messages in the order of computing.
#include "common/predict/step_schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace scalemark::predict {

double waited_seconds(std::span<const StepMessageTimes> messages) {
  struct Event {
    double at;  ///< s of computing
    std::size_t message;
    bool starts;
  };
  std::vector<Event> events;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    events.push_back({messages[i].started, i, true});
    events.push_back({messages[i].needed, i, false});
  }
  std::ranges::stable_sort(events, {}, [](const Event& one) { return one.at; });
  std::vector<double> arrived(messages.size());
  double waited = 0, last = 0;
  for (const Event& one : events) {
    const double now = one.at + waited;
    if (one.starts)
      last = arrived[one.message] = std::max(now, last) + messages[one.message].seconds;
    else
      waited += std::max(0.0, arrived[one.message] - now);
  }
  return waited;
}

}  // namespace scalemark::predict
