// SPDX-License-Identifier: Apache-2.0
// Measures call, start, completion and queue rate of kernel launches.
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
  /// `graph_nodes`: kernels per launch; 0: a plain launch. `now`: host clock in ns.
  LaunchWork(device::LaunchQueue& queue, int graph_nodes,
             std::function<std::uint64_t()> now = now_ns);

  /// Launches between two synchronisations: few, so that no call waits for space in the queue.
  int calls() const { return calls_; }
  /// Launches behind a blocking kernel: many, but fewer than any queue can hold.
  int queued() const { return queued_; }

  /// Launches once, in the next stream of the rotation.
  void launch_next();
  /// Nanoseconds of calls() launch calls; waits for the device afterwards, untimed.
  std::uint64_t time_calls();
  /// Nanoseconds from the launch call until the host sees the kernel's first write. Throws Error
  /// after 5 s.
  std::uint64_t time_start();
  /// Device nanoseconds for queued() launches, all enqueued before the first starts. Nothing if the
  /// blocking kernel gave up early; such samples are counted.
  std::optional<std::uint64_t> time_queue();
  /// As time_queue(), repeated until it succeeds. Throws Error after ten failures in a row.
  std::uint64_t time_valid_queue();
  /// Whether one of three attempts succeeds: queued() launches fit behind a blocking kernel.
  bool queue_holds();
  int discarded() const { return discarded_; }

 private:
  device::LaunchQueue& queue_;
  std::function<std::uint64_t()> now_;
  int calls_, queued_;
  int turn_ = 0, discarded_ = 0;
};

/// Records latency (primary), launch_time, start_latency, queue_time and the rates derived from
/// them.
void measure_launches(Case& c, device::LaunchQueue& queue, int graph_nodes);

}  // namespace scalemark::micro
