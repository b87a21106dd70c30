// SPDX-License-Identifier: Apache-2.0
// The four times of a launch, taken from a queue of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "common/base/clock.hpp"
#include "common/core/case.hpp"
#include "common/device/launch.hpp"

namespace scalemark::micro {

class LaunchWork {
 public:
  /// `graph_nodes`: kernels of a launch, 0 for a plain one. `now`: the host's clock in ns.
  LaunchWork(device::LaunchQueue& queue, int graph_nodes,
             std::function<std::uint64_t()> now = now_ns);

  /// Launches between two synchronisations: few, so that no call waits for a place in the queue.
  int calls() const { return calls_; }
  /// Launches behind a blocking kernel: many, but fewer than any queue holds.
  int queued() const { return queued_; }

  /// One launch in the stream whose turn it is.
  void launch_next();
  /// Nanoseconds of calls() launch calls; the device's work is waited for afterwards.
  std::uint64_t time_calls();
  /// Nanoseconds from a launch call until the host sees what the kernel writes first. Throws Error
  /// where that takes seconds.
  std::uint64_t time_start();
  /// Nanoseconds of the device for queued() launches that were all in the queue before the first
  /// one began; nothing if the blocking kernel gave up before, which is counted.
  std::optional<std::uint64_t> time_queue();
  /// As time_queue(), again until there is a time. Throws Error after ten in vain.
  std::uint64_t time_valid_queue();
  /// Whether one of three tries gives a time: queued() launches fit behind a blocking kernel.
  bool queue_holds();
  int discarded() const { return discarded_; }

 private:
  device::LaunchQueue& queue_;
  std::function<std::uint64_t()> now_;
  int calls_, queued_;
  int turn_ = 0, discarded_ = 0;
};

/// Metrics latency (primary), launch_time, start_latency, queue_time and rates of it.
void measure_launches(Case& c, device::LaunchQueue& queue, int graph_nodes);

}  // namespace scalemark::micro
