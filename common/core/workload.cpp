// SPDX-License-Identifier: Apache-2.0
// Axes of the rows that a step consists of.
#include "common/core/workload.hpp"

#include <algorithm>

namespace scalemark {

Workload ddp_messages(std::int64_t bytes) {
  constexpr std::int64_t kFirst = 1 << 20, kOthers = 25 << 20;
  Workload messages;
  for (std::int64_t limit = kFirst; bytes > 0; limit = kOthers) {
    messages.push_back(
        {"gradients", "micro/allreduce", {{"bytes", std::min(bytes, limit)}, {"in_place", true}}});
    bytes -= limit;
  }
  return messages;
}

Point axes_of_rows(const Point& point) {
  Point shared;
  for (const char* axis : {"precision", "device", "threads", "ranks"}) {
    if (const Value* value = point.find(axis)) shared[axis] = *value;
  }
  return shared;
}

}  // namespace scalemark
