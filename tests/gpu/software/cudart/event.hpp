// SPDX-License-Identifier: Apache-2.0
// Events: marks in streams, with the time at which they are reached.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include <cuda_runtime_api.h>

#include "tests/gpu/software/cudart/graph.hpp"

namespace scalemark::software_gpu {

struct Event {
  int device = 0;
  bool timing = true;
  bool recorded = false;
  Marker marker;
  std::shared_ptr<std::atomic<std::uint64_t>> time_ns;  ///< of the last record
  /// Of an event that was last recorded in a capture: that, and the nodes before it.
  std::shared_ptr<Capture> capture;
  std::vector<std::size_t> nodes;
};

void record(Event& event, const std::shared_ptr<Stream>& stream);
/// Later work of `stream` begins when the event is reached.
void wait_in_stream(const std::shared_ptr<Stream>& stream, Event& event);
/// Blocks the host until the event is reached.
void synchronize(Event& event);
float milliseconds_between(Event& start, Event& end);

}  // namespace scalemark::software_gpu
