// SPDX-License-Identifier: Apache-2.0
// What a GPU and the threads that drive it did: records of single activities become totals.
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
/// "htod", ...
std::string_view to_string(Direction direction);

/// Of CUPTI's CUpti_ActivityMemcpyKind. Arrays on a device are its memory; ptop is from device to
/// device, dtod within one.
Direction copy_direction(unsigned cupti_kind);

/// "cudaMemcpyAsync" of CUPTI's "cudaMemcpyAsync_ptsz_v7000": without version and kind of stream.
std::string call_name(std::string_view cupti_name);

/// "ncclDevKernel_AllGather_RING_LL" of a kernel's mangled or printed name; empty unless it is one
/// of NCCL's. No copy is made.
std::string_view nccl_kernel(std::string_view symbol);

/// Activities of one class.
struct Total {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;    ///< of copies
  std::uint64_t time = 0;     ///< ns, the sum of their durations
  std::uint64_t covered = 0;  ///< ns, the union of them: at most the time that was watched
};

struct ActivityTotals {
  std::uint64_t watched = 0;  ///< ns
  std::array<Total, kDirections> copies;
  Total all_copies;
  std::map<std::string, Total, std::less<>> calls;  ///< by function of the runtime API
  Total all_calls;                                  ///< covered: at least one thread was in a call
  std::uint64_t busiest_thread = 0;                 ///< ns, the most that calls covered of a thread
  std::map<std::string, Total, std::less<>> nccl_kernels;  ///< by name
  Total all_nccl, other_kernels, all_kernels;
  std::uint64_t busy = 0;        ///< ns in which a copy or a kernel was under way
  std::uint64_t incomplete = 0;  ///< records without times: counted, their time is missing
  std::uint64_t late = 0;        ///< ns that some `covered` lacks at most, see IntervalUnion
};

/// Sums up records as they come; keeps none. Times in ns of one clock.
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
  /// Notes a record that has no times.
  bool is_complete(std::uint64_t start, std::uint64_t end);

  std::array<Class, kDirections> copies_;
  Class all_copies_, all_calls_, all_nccl_, other_kernels_, all_kernels_;
  ByName calls_, nccl_kernels_;
  std::map<std::uint64_t, IntervalUnion> threads_;
  IntervalUnion busy_;
  std::uint64_t incomplete_ = 0;
};

}  // namespace scalemark::profile
