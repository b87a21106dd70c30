// SPDX-License-Identifier: Apache-2.0
// Tests of nvbandwidth that match cases of micro/memcpy and micro/memory_latency.
#pragma once

#include <array>
#include <string_view>

namespace scalemark::formats {

/// The value that an axis must have. Files of older versions lack axes; they mean `implied`.
struct NvbandwidthAxis {
  const char *name = nullptr, *value = "", *implied = "";
};

/// The cells of a test's matrix.
enum class NvbandwidthCells {
  ranks,    ///< one row, a column per rank
  writers,  ///< row: the GPU that copies, and where it reads; column: where it writes
  readers   ///< row: the GPU that copies or loads, and where it writes; column: where it reads
};

struct NvbandwidthTest {
  const char* name;    ///< copies of one GPU while the others are idle, or of each pair in turn
  const char* of_all;  ///< the same while all GPUs copy; null: there is no such test
  const char* description;
  const char* benchmark;
  std::array<NvbandwidthAxis, 6> axes;
  NvbandwidthCells cells = NvbandwidthCells::ranks;
  double counted = 1;  ///< bytes nvbandwidth counts per byte Scalemark counts

  bool is_latency() const { return std::string_view(benchmark) != "micro/memcpy"; }
  /// Metric that nvbandwidth measures: time between events, recorded behind a kernel that waits for
  /// the host.
  const char* metric() const { return is_latency() ? "load_latency" : "event_bandwidth"; }
};

constexpr NvbandwidthTest host_copy(const char* name, const char* of_all, const char* description,
                                    const char* direction, const char* engine) {
  return {
      name,
      of_all,
      description,
      "micro/memcpy",
      {{{"direction", direction}, {"engine", engine, "copy_engine"}, {"host_memory", "pinned"}}}};
}

constexpr NvbandwidthTest peer_copy(const char* name, const char* description,
                                    const char* operation, const char* engine,
                                    NvbandwidthCells cells) {
  return {name,
          nullptr,
          description,
          "micro/memcpy",
          {{{"direction", "peer"},
            {"engine", engine, "copy_engine"},
            {"host_memory", "pageable"},
            {"pattern", "all_pairs"},
            {"peer_operation", operation},
            {"peer_access", "true"}}},
          cells};
}

/// Its bidirectional tests count only one direction, so no case of Scalemark matches them. A copy
/// within a GPU counts as read and write. The arrows of copies between GPUs are nvbandwidth's: a
/// row is always the GPU that copies.
inline constexpr std::array kNvbandwidthTests = {
    host_copy("host_to_device_memcpy_ce", "host_to_all_memcpy_ce",
              "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)", "h2d", "copy_engine"),
    host_copy("device_to_host_memcpy_ce", "all_to_host_memcpy_ce",
              "memcpy CE CPU(row) <- GPU(column) bandwidth (GB/s)", "d2h", "copy_engine"),
    host_copy("host_to_device_memcpy_sm", "host_to_all_memcpy_sm",
              "memcpy SM CPU(row) -> GPU(column) bandwidth (GB/s)", "h2d", "kernel"),
    host_copy("device_to_host_memcpy_sm", "all_to_host_memcpy_sm",
              "memcpy SM CPU(row) <- GPU(column) bandwidth (GB/s)", "d2h", "kernel"),
    NvbandwidthTest{"device_local_copy",
                    "device_local_copy",
                    "memcpy local GPU(column) bandwidth (GB/s)",
                    "micro/memcpy",
                    {{{"direction", "d2d"},
                      {"engine", "copy_engine", "copy_engine"},
                      {"host_memory", "pageable"}}},
                    NvbandwidthCells::ranks,
                    2},
    peer_copy("device_to_device_memcpy_read_ce",
              "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)", "read", "copy_engine",
              NvbandwidthCells::readers),
    peer_copy("device_to_device_memcpy_write_ce",
              "memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)", "write", "copy_engine",
              NvbandwidthCells::writers),
    peer_copy("device_to_device_memcpy_read_sm",
              "memcpy SM GPU(row) -> GPU(column) bandwidth (GB/s)", "read", "kernel",
              NvbandwidthCells::readers),
    peer_copy("device_to_device_memcpy_write_sm",
              "memcpy SM GPU(row) <- GPU(column) bandwidth (GB/s)", "write", "kernel",
              NvbandwidthCells::writers),
    NvbandwidthTest{"host_device_latency_sm",
                    nullptr,
                    "memory latency SM CPU(row) <-> GPU(column) (ns)",
                    "micro/memory_latency",
                    {{{"device", "cuda"}, {"place", "host"}, {"host_memory", "pinned"}}}},
    NvbandwidthTest{"device_to_device_latency_sm",
                    nullptr,
                    "Device to Device Latency SM GPU(row) <-> GPU(column) (ns)",
                    "micro/memory_latency",
                    {{{"device", "cuda"}, {"place", "peer"}, {"host_memory", "pageable"}}},
                    NvbandwidthCells::readers},
};

/// Extra member with the case key in output of Scalemark.
inline constexpr const char* kNvbandwidthKey = "scalemark_key";

}  // namespace scalemark::formats
