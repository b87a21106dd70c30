// SPDX-License-Identifier: Apache-2.0
// Axes of the rows that a step consists of.
#include "common/core/workload.hpp"

#include <algorithm>

namespace scalemark {

std::vector<double> ddp_messages(double bytes) {
  constexpr double kFirst = 1 << 20, kOthers = 25 << 20;
  std::vector<double> messages;
  for (double limit = kFirst; bytes > 0; limit = kOthers) {
    messages.push_back(std::min(bytes, limit));
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
