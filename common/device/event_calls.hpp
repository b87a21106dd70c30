// SPDX-License-Identifier: Apache-2.0
// Single event and synchronisation calls of a device, for measuring their time.
#pragma once

#include <memory>

#include "common/device/device.hpp"

namespace scalemark::device {

/// Calls on a stack of events and one stream. Each member makes exactly one call of the CUDA
/// runtime.
class EventCalls {
 public:
  virtual ~EventCalls() = default;  ///< destroys the remaining events
  /// Creates an event and pushes it on the stack.
  virtual void create() = 0;
  /// Destroys the top event.
  virtual void destroy() = 0;
  /// Records the top event in the stream.
  virtual void record() = 0;
  /// Waits for the top event.
  virtual void synchronize() = 0;
  /// Gets the time between the two top events, which must be done and have timing enabled.
  virtual void elapsed() = 0;
  virtual void synchronize_stream() = 0;
  virtual void synchronize_device() = 0;
};

/// `timing` false: events without time stamps (cudaEventDisableTiming). Throws Unavailable in a
/// build without CUDA.
std::unique_ptr<EventCalls> make_event_calls(Device& device, bool timing);

}  // namespace scalemark::device
