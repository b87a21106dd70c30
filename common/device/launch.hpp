// SPDX-License-Identifier: Apache-2.0
// Launches empty kernels into streams, for measuring launch overheads.
#pragma once

#include <memory>
#include <optional>

#include "common/device/device.hpp"

namespace scalemark::device {

/// A launch is one kernel, or one graph that is a chain of kernels.
class LaunchQueue {
 public:
  virtual ~LaunchQueue() = default;
  virtual int streams() const = 0;
  /// Enqueues one launch in a stream, 0 to streams() - 1.
  virtual void launch(int stream) = 0;
  /// Waits for all streams, one after the other.
  virtual void synchronize() = 0;

  /// Enqueues a launch in stream 0 whose first kernel sets a mark in host memory as its first
  /// action. Clear the mark and synchronise the streams before.
  virtual void launch_marking() = 0;
  virtual void clear_mark() = 0;
  virtual bool is_marked() const = 0;
  /// Round trip between host and a running kernel, in s: from a write of the host until it sees the
  /// kernel's answer; median of several. It is an upper bound for the time that a mark needs to
  /// arrive. Throws Error if there is no answer.
  virtual double answer_time() = 0;

  /// Holds all streams back. Synchronise them before.
  virtual void block() = 0;
  /// Releases all streams and waits for them. Returns the time in s from the end of the blocking
  /// kernel to the end of the last stream, measured by CUDA events; nothing if that kernel gave up
  /// before.
  virtual std::optional<double> release_and_time() = 0;
};

/// `graph_nodes`: kernels per graph; 0 for plain launches. Kernels and graphs are already loaded on
/// the device when it returns. A blocking kernel gives up after `limit` seconds. Throws Unavailable
/// in a build without CUDA.
std::unique_ptr<LaunchQueue> make_launch_queue(Device& device, int streams, int graph_nodes,
                                               double limit = 1.0);

}  // namespace scalemark::device
