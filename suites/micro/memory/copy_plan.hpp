// SPDX-License-Identifier: Apache-2.0
// What a copy between kinds of memory is made of, and by which clocks it may be timed.
#pragma once

#include <string>
#include <string_view>

#include "common/core/axis.hpp"
#include "common/device/memory.hpp"

namespace scalemark::micro {

/// Who moves the bytes.
enum class CopyEngine {
  copy_engine,  ///< the device's, or the driver's copy of pageable memory
  kernel,       ///< threads of the device
  prefetch,     ///< the driver moves managed pages as it is told
  faults,       ///< threads of the device touch managed pages, which come one by one
  host          ///< the C library's memcpy
};

struct CopyPlan {
  device::MemoryKind from, to;
  CopyEngine engine;
  bool both_ways = false;  ///< a second copy the other way at the same time
  /// Whether it may be enqueued behind a kernel that waits for the host, and so be timed by events.
  /// Never where the host takes part: it would wait for the kernel, and the kernel for it.
  bool behind_blocker = false;
  bool needs_device = true;
  /// Managed pages stay where they were moved: each sample begins with them on the other side.
  bool needs_reset = false;
  /// Bytes that go through memory for each byte that is counted: a copy within one memory reads and
  /// writes it.
  double moved_per_byte = 1;
};

/// Of a point's direction (h2d, d2h, d2d, h2h, bidirectional), host_memory and engine (copy_engine,
/// kernel). Throws UsageError for unknown words.
CopyPlan plan_copy(const Params& point);

/// Whether there is such a copy: write-combined memory is not read by the host, d2d has no host
/// memory (named pageable), and engines are those of a device.
bool copy_makes_sense(const Params& point);

}  // namespace scalemark::micro
