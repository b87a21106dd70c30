// SPDX-License-Identifier: Apache-2.0
// Holds a stream back, so that work enqueued meanwhile runs without gaps.
#pragma once

#include <memory>

#include "common/device/device.hpp"

namespace scalemark::device {

/// A kernel that waits for the host. Work that follows it in the stream is enqueued meanwhile.
/// Events around that work then measure the device, not the speed at which the host enqueues.
/// Do not enqueue calls that wait for the stream before they return, such as copies of pageable
/// memory or allocations. Host and device would wait for each other until the kernel gives up.
class Blocker {
 public:
  virtual ~Blocker() = default;
  /// Enqueues the kernel. The previous one must have been released, and its stream synchronised.
  virtual void block(Stream& stream) = 0;
  /// Lets the stream continue.
  virtual void release() = 0;
  /// Whether the kernel gave up before release(): the work behind it then has gaps, and its time is
  /// not valid. Synchronise the stream before this call.
  virtual bool gave_up() const = 0;
};

/// Blocker on a GPU. The kernel gives up after `limit` seconds on the device's clock. Throws
/// Unavailable for the host and in a build without CUDA.
std::unique_ptr<Blocker> make_blocker(Device& device, double limit = 5.0);

}  // namespace scalemark::device
