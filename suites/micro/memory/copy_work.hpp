// SPDX-License-Identifier: Apache-2.0
// One kind of copy with its buffers: carried out, checked, timed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/core/case.hpp"
#include "common/device/blocker.hpp"
#include "suites/micro/memory/copy_plan.hpp"

namespace scalemark::micro {

class CopyWork {
 public:
  /// Skips the case where a rank lacks the device. `node`: NUMA node of the host's memory, -1: any.
  CopyWork(Case& c, const CopyPlan& plan, std::size_t bytes, int node);

  /// Copies, both ways if the plan says so, and waits for the end.
  void copy();
  /// Nanoseconds of so many times copy(), one after the other. Managed pages are first brought back
  /// to where they came from, untimed.
  std::uint64_t time(std::uint64_t copies);
  /// Metrics event_time and event_bandwidth of copies behind a blocking kernel, and issue_time,
  /// what the host needs to enqueue one. Samples in which the kernel gave up are taken anew and
  /// counted (fact `discarded_samples`).
  void measure_by_events(double counted_bytes);
  /// Elements of the destinations that are wrong; they are overwritten.
  Case::Checked check();

 private:
  /// A source and a destination with a stream of their own.
  struct CopyPath {
    device::Buffer from, to;
    std::unique_ptr<device::Stream> stream;
    std::unique_ptr<device::Blocker> blocker = nullptr;  ///< these for measure_by_events()
    std::unique_ptr<device::Event> begin = nullptr, end = nullptr;
  };
  CopyPath make_path(device::MemoryKind from, device::MemoryKind to, int node);
  void fill(CopyPath& way, int salt);
  void bring_back(CopyPath& way);
  void start(CopyPath& way);
  Case::Checked check(CopyPath& way, int salt);
  /// Nanoseconds by events and to enqueue; nothing if the kernel gave up.
  struct Batch {
    std::uint64_t device_ns = 0, issue_ns = 0;
    bool valid = false;
  };
  Batch time_batch();

  Case& c_;
  CopyPlan plan_;
  std::size_t bytes_;
  device::Device& device_;
  std::vector<CopyPath> paths_;
  device::Buffer pattern_;
};

}  // namespace scalemark::micro
