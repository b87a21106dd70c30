// SPDX-License-Identifier: Apache-2.0
// A device's calls on events, and its waits, one by one, for timing them.
#pragma once

#include <memory>

#include "common/device/device.hpp"

namespace scalemark::device {

/// Calls on a pile of events and one stream. Each is the runtime's call and no other.
class EventCalls {
 public:
  virtual ~EventCalls() = default;  ///< destroys the events that are left
  /// Lays one more event on the pile.
  virtual void create() = 0;
  /// Destroys the event on top.
  virtual void destroy() = 0;
  /// Records the event on top in the stream.
  virtual void record() = 0;
  /// Waits for the event on top.
  virtual void synchronize() = 0;
  /// Time between the two events on top, which must be reached and have timing.
  virtual void elapsed() = 0;
  virtual void synchronize_stream() = 0;
  virtual void synchronize_device() = 0;
};

/// `timing` false: events that only order (cudaEventDisableTiming). Throws Unavailable in a build
/// without CUDA.
std::unique_ptr<EventCalls> make_event_calls(Device& device, bool timing);

}  // namespace scalemark::device
