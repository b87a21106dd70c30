// SPDX-License-Identifier: Apache-2.0
// Tests of nvbandwidth that measure what a point of micro/memcpy does.
#pragma once

#include <array>
#include <string_view>

namespace scalemark::formats {

struct NvbandwidthTest {
  const char* name;    ///< copies of one GPU while the others rest
  const char* of_all;  ///< the same of one while all others copy, too
  const char *direction, *engine, *host_memory;
  const char* description;
  double counted;  ///< bytes that it counts for each byte that we count
};

/// Its copies both ways count one direction only, so there is none of ours. A copy within a GPU is
/// counted as read and written.
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

/// What nvbandwidth measures: events behind a kernel that waits for the host.
inline constexpr const char* kNvbandwidthMetric = "event_bandwidth";
/// The case's key, which our output has besides nvbandwidth's members.
inline constexpr const char* kNvbandwidthKey = "scalemark_key";

}  // namespace scalemark::formats
