// SPDX-License-Identifier: Apache-2.0
// Axes of the rows that a step consists of.
#include "common/core/workload.hpp"

namespace scalemark {

Point axes_of_rows(const Point& point) {
  Point shared;
  for (const char* axis : {"precision", "device", "threads", "ranks"}) {
    if (const Value* value = point.find(axis)) shared[axis] = *value;
  }
  return shared;
}

}  // namespace scalemark
