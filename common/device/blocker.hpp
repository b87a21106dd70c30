// SPDX-License-Identifier: Apache-2.0
// Holds a stream back, so that what is enqueued behind runs without gaps.
#pragma once

#include <memory>

#include "common/device/device.hpp"

namespace scalemark::device {

/// A kernel that waits for the host. What follows it in its stream is enqueued meanwhile, so that
/// events around it measure the device's work, and not how fast the host enqueues. Nothing that
/// waits for the stream before it returns may be enqueued (a copy of pageable memory, an
/// allocation): host and device would wait for each other, until the kernel gives up.
class Blocker {
 public:
  virtual ~Blocker() = default;
  /// Enqueues the kernel. The one before must have been released, and its stream synchronised.
  virtual void block(Stream& stream) = 0;
  /// Lets the stream go on.
  virtual void release() = 0;
  /// Whether the kernel gave up before it was released: what was timed behind it has gaps, and is
  /// no measurement. Its stream must have been synchronised.
  virtual bool gave_up() const = 0;
};

/// On a GPU. The kernel gives up after `limit` seconds of the device's own clock. Throws
/// Unavailable for the host, and in a build without CUDA.
std::unique_ptr<Blocker> make_blocker(Device& device, double limit = 5.0);

}  // namespace scalemark::device
