// SPDX-License-Identifier: Apache-2.0
// Memory kinds and engine of a copy, and which clocks may time it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/core/axis.hpp"
#include "common/device/memory.hpp"

namespace scalemark::micro {

/// What performs the copy.
enum class CopyEngine {
  copy_engine,  ///< the device's copy engine, or the driver for pageable memory
  kernel,       ///< device threads
  prefetch,     ///< the driver migrates managed pages on request
  faults,       ///< device threads touch managed pages, which migrate one by one
  host          ///< the C library's memcpy
};

/// How a copy is made, and what its measurement has to heed.
struct CopyPlan {
  device::MemoryKind from, to;
  CopyEngine engine;
  bool both_ways = false;  ///< a second copy in the opposite direction at the same time
  /// Whether the copy may be enqueued behind a kernel that waits for the host, and timed by events.
  /// Not if the host takes part: the call would wait for the kernel, and the kernel for the host.
  bool behind_blocker = false;
  bool needs_device = true;
  /// Managed pages stay where they migrated, so each sample first moves them back.
  bool needs_reset = false;
  /// Bytes moved through memory per counted byte: a copy within one memory reads and writes it.
  double moved_per_byte = 1;
};

/// Plans the copy from direction (h2d, d2h, d2d, h2h, bidirectional,
/// peer), host_memory and engine
/// (copy_engine, kernel). Throws UsageError for an unknown direction or kind of memory.
CopyPlan plan_copy(const Point& point);

/// How often a case holds its bytes: source and destination of each way, and the pattern, which is
/// on the host.
struct CopiesHeld {
  std::uint64_t on_device = 0, on_host = 0;
};
CopiesHeld copies_held(const Point& point);

/// Whether the combination exists: the host does not read write-combined memory, d2d has no host
/// memory (its value is pageable), and engines belong to a device.
bool copy_makes_sense(const Point& point);

}  // namespace scalemark::micro
