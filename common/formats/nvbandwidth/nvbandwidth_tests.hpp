// SPDX-License-Identifier: Apache-2.0
// Tests of nvbandwidth that match cases of micro/memcpy.
#pragma once

#include <array>
#include <string_view>

namespace scalemark::formats {

struct NvbandwidthTest {
  const char* name;    ///< copies of one GPU while the others are idle
  const char* of_all;  ///< the same while all GPUs copy
  const char *direction, *engine, *host_memory;
  const char* description;
  double counted;  ///< bytes nvbandwidth counts per byte Scalemark counts
};

/// Its bidirectional tests count only one direction, so no case of Scalemark matches them. A copy
/// within a GPU counts as read and write.
inline constexpr std::array kNvbandwidthTests = {
    NvbandwidthTest{"host_to_device_memcpy_ce", "host_to_all_memcpy_ce", "h2d", "copy_engine",
                    "pinned", "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)", 1},
    NvbandwidthTest{"device_to_host_memcpy_ce", "all_to_host_memcpy_ce", "d2h", "copy_engine",
                    "pinned", "memcpy CE CPU(row) <- GPU(column) bandwidth (GB/s)", 1},
    NvbandwidthTest{"host_to_device_memcpy_sm", "host_to_all_memcpy_sm", "h2d", "kernel", "pinned",
                    "memcpy SM CPU(row) -> GPU(column) bandwidth (GB/s)", 1},
    NvbandwidthTest{"device_to_host_memcpy_sm", "all_to_host_memcpy_sm", "d2h", "kernel", "pinned",
                    "memcpy SM CPU(row) <- GPU(column) bandwidth (GB/s)", 1},
    NvbandwidthTest{"device_local_copy", "device_local_copy", "d2d", "copy_engine", "pageable",
                    "memcpy local GPU(column) bandwidth (GB/s)", 2},
};

/// Metric that nvbandwidth measures: time between events, recorded behind a kernel that waits for
/// the host.
inline constexpr const char* kNvbandwidthMetric = "event_bandwidth";
/// Extra member with the case key in output of Scalemark.
inline constexpr const char* kNvbandwidthKey = "scalemark_key";

}  // namespace scalemark::formats
