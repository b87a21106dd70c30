// SPDX-License-Identifier: Apache-2.0
// Streams that are given kernels which do nothing, for timing what it takes to start them.
#pragma once

#include <memory>
#include <optional>

#include "common/device/device.hpp"

namespace scalemark::device {

/// A launch is one kernel, or a graph of them in a chain.
class LaunchQueue {
 public:
  virtual ~LaunchQueue() = default;
  virtual int streams() const = 0;
  /// Enqueues one launch in a stream, 0 to streams() - 1.
  virtual void launch(int stream) = 0;
  /// Waits for all streams, one after the other.
  virtual void synchronize() = 0;

  /// Enqueues a launch in stream 0 whose first kernel sets a mark in the host's memory as the first
  /// thing it does. The mark must have been cleared, and the streams synchronised.
  virtual void launch_marking() = 0;
  virtual void clear_mark() = 0;
  virtual bool is_marked() const = 0;
  /// Seconds from a word that the host writes until it sees the answer of a kernel that runs
  /// already, the median of some: a mark is on its way for less than that. Throws Error where no
  /// answer comes.
  virtual double answer_time() = 0;

  /// Holds all streams back. They must be synchronised.
  virtual void block() = 0;
  /// Lets them go and waits for them. Seconds by the device's events, from the end of the blocking
  /// kernel to the end of the last stream; nothing if that kernel gave up before.
  virtual std::optional<double> release_and_time() = 0;
};

/// `graph_nodes` 0: plain launches, else graphs of so many kernels. Kernels and graphs are on the
/// device when it returns. A blocking kernel gives up after `limit` seconds. Throws Unavailable in
/// a build without CUDA.
std::unique_ptr<LaunchQueue> make_launch_queue(Device& device, int streams, int graph_nodes,
                                               double limit = 1.0);

}  // namespace scalemark::device
