// SPDX-License-Identifier: Apache-2.0
// One kind of copy with its buffers: runs, checks and times it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "common/core/case.hpp"
#include "common/device/blocker.hpp"
#include "suites/micro/launch/enqueued.hpp"
#include "suites/micro/memory/copy_plan.hpp"

namespace scalemark::micro {

/// The node of the first page of `buffer` that is neither on node `wanted` nor unknown (< 0); -1 if
/// there is none. Reads at most some 64 pages, evenly spread. `node_of`: numa_node_of_page().
int node_other_than(int wanted, const device::Buffer& buffer,
                    const std::function<int(const void*)>& node_of);

/// Which devices take part in a copy between devices: that which copies, and where the memory is.
struct CopyDevices {
  device::Device *by, *from, *to;
};

/// Copies of one rank with their buffers, and the check of what arrived.
class CopyWork {
 public:
  /// Skips the case if a rank lacks the device. `node`: NUMA node of the host memory; -1: any.
  CopyWork(Case& c, const CopyPlan& plan, std::size_t bytes, int node);
  /// Copies between devices, all of `paths` at once. The devices must outlive this object.
  CopyWork(Case& c, const CopyPlan& plan, std::size_t bytes, const std::vector<CopyDevices>& paths);

  /// Copies, in both directions if planned, and waits for completion.
  void copy();
  /// Nanoseconds of `copies` calls of copy(), one after the other. First moves managed pages back,
  /// untimed.
  std::uint64_t time(std::uint64_t copies);
  /// Records event_time and event_bandwidth of copies behind a blocking kernel, and issue_time, the
  /// host time to enqueue one copy. Samples in which the kernel gave up are repeated and counted
  /// (fact `discarded_samples`).
  void measure_by_events(double counted_bytes);
  /// Copies of a batch. Few enough for any queue.
  static constexpr int kBatch = 16;
  /// Of one path; the longest counts on the device. Nothing if the kernel gave up. Call
  /// prepare_events() first.
  std::optional<EnqueuedBatch> time_batch();
  void prepare_events();
  /// Checks all destinations and overwrites them.
  Case::Checked check();

 private:
  /// A source, a destination and their stream.
  struct CopyPath {
    device::Device* by;
    device::Buffer from, to;
    std::unique_ptr<device::Stream> stream;
    std::unique_ptr<device::Blocker> blocker = nullptr;  ///< from prepare_events()
    std::unique_ptr<device::Event> begin = nullptr, end = nullptr;
  };
  CopyPath make_path(const CopyDevices& devices, device::MemoryKind from, device::MemoryKind to,
                     int node);
  /// Prepares sources and streams once all paths are there.
  void fill_all();
  /// Fact memory_numa_node: where host memory lies if that is not node `wanted`.
  void state_node(int wanted);
  void fill(CopyPath& way, int salt);
  void bring_back(CopyPath& way);
  void start(CopyPath& way);
  Case::Checked check(CopyPath& way, int salt);

  Case& c_;
  CopyPlan plan_;
  std::size_t bytes_;
  bool several_devices_ = false;
  std::vector<CopyPath> paths_;
  device::Buffer pattern_;
};

}  // namespace scalemark::micro
