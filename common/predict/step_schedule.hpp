// SPDX-License-Identifier: Apache-2.0
// Messages that are sent while a step computes: what of them the computation does not hide.
#pragma once

#include <span>

namespace scalemark::predict {

/// A message, and when what it sends is there.
struct ReadyMessage {
  double ready = 0;    ///< s after the start of the backward pass
  double seconds = 0;  ///< that it takes
};

/// Seconds from `computed` (after the start of the backward pass) until the last message has
/// arrived, at least 0. Messages follow each other, as on one stream: each starts when it is ready
/// and the one before has arrived. Computation is taken to be as fast as without messages.
double exposed_seconds(std::span<const ReadyMessage> messages, double computed);

}  // namespace scalemark::predict
