// SPDX-License-Identifier: Apache-2.0
// Messages that are sent while a step computes: how long the step waits for them.
#pragma once

#include <span>

namespace scalemark::predict {

/// A message, and the seconds that a rank has computed when it starts it and when it needs it.
struct StepMessageTimes {
  double started = 0, needed = 0;
  double seconds = 0;  ///< that the message takes
};

/// Seconds that a rank waits in all, computing as fast as without messages. Messages are in the
/// order in which they are started. They follow each other, as on one stream: each begins when it
/// is started and the one before has arrived. A rank that waits computes nothing and starts
/// nothing.
double waited_seconds(std::span<const StepMessageTimes> messages);

}  // namespace scalemark::predict
