// SPDX-License-Identifier: Apache-2.0
// One message after the other.
#include "common/predict/step_schedule.hpp"

#include <algorithm>

namespace scalemark::predict {

double exposed_seconds(std::span<const ReadyMessage> messages, double computed) {
  double end = 0;
  for (const ReadyMessage& one : messages) end = std::max(one.ready, end) + one.seconds;
  return std::max(0.0, end - computed);
}

}  // namespace scalemark::predict
