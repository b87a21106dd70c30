// SPDX-License-Identifier: Apache-2.0
// Totals of what a GPU and the threads that drive it did, from records of single activities.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "common/profile/interval_union.hpp"

namespace scalemark::profile {

enum class Direction { htod, dtoh, dtod, ptop, htoh, other };
constexpr std::size_t kDirections = 6;
/// "htod", "dtoh", ...
std::string_view to_string(Direction direction);

/// Direction of a copy from CUPTI's CUpti_ActivityMemcpyKind. Arrays count as device memory. dtod:
/// within one device; ptop: between devices.
Direction copy_direction(unsigned cupti_kind);

/// The function's name without version and stream kind: "cudaMemcpyAsync" for CUPTI's
/// "cudaMemcpyAsync_ptsz_v7000".
std::string call_name(std::string_view cupti_name);

/// "ncclDevKernel_AllGather_RING_LL" from a kernel's mangled or demangled name; empty unless it is
/// an NCCL kernel. The result is a part of `symbol`.
std::string_view nccl_kernel(std::string_view symbol);

/// Totals of one class of activities.
struct Total {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;    ///< only for copies
  std::uint64_t time = 0;     ///< ns, sum of the durations
  std::uint64_t covered = 0;  ///< ns, union of the durations; at most the time profiled
};

struct ActivityTotals {
  std::uint64_t watched = 0;  ///< ns profiled
  std::array<Total, kDirections> copies;
  Total all_copies;
  std::map<std::string, Total, std::less<>> calls;  ///< by function of the CUDA runtime API
  Total all_calls;                   ///< covered: ns in which at least one thread was in a call
  std::uint64_t busiest_thread = 0;  ///< ns, the largest covered time of calls of one thread
  std::map<std::string, Total, std::less<>> nccl_kernels;  ///< by name
  Total all_nccl, other_kernels, all_kernels;
  std::uint64_t busy = 0;        ///< ns in which a copy or a kernel was running
  std::uint64_t incomplete = 0;  ///< records without times: counted, but their time is missing
  std::uint64_t late = 0;        ///< ns, upper bound of what any `covered` lacks; see IntervalUnion
};

/// Adds up records as they arrive and keeps none. Times are in ns on one clock.
class ActivityCounter {
 public:
  void add_copy(unsigned cupti_kind, std::uint64_t bytes, std::uint64_t start, std::uint64_t end);
  void add_call(std::string_view name, std::uint64_t thread, std::uint64_t start,
                std::uint64_t end);
  void add_kernel(std::string_view symbol, std::uint64_t start, std::uint64_t end);
  /// `watched`: ns in which records were collected.
  ActivityTotals totals(std::uint64_t watched) const;

 private:
  struct Class {
    Total total;
    IntervalUnion covered;
    void add(std::uint64_t bytes, std::uint64_t start, std::uint64_t end);
    Total result(std::uint64_t watched) const;
  };
  using ByName = std::map<std::string, Class, std::less<>>;
  static Class& at(ByName& classes, std::string_view name);
  /// Whether a record has times; counts those that have none.
  bool is_complete(std::uint64_t start, std::uint64_t end);

  std::array<Class, kDirections> copies_;
  Class all_copies_, all_calls_, all_nccl_, other_kernels_, all_kernels_;
  ByName calls_, nccl_kernels_;
  std::map<std::uint64_t, IntervalUnion> threads_;
  IntervalUnion busy_;
  std::uint64_t incomplete_ = 0;
};

}  // namespace scalemark::profile
