// SPDX-License-Identifier: Apache-2.0
// Tests of nccl-tests 2.19.6 that Scalemark measures too, with their sizes and types.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace scalemark::formats {

/// How nccl-tests define size and count of a test, relative to Scalemark's `bytes` (as in OSU).
/// Count: elements that a rank passes to the operation (src/*.cu, GetCollByteCount).
enum class NcclSize {
  buffer,        ///< size = bytes; count: all elements
  of_all_ranks,  ///< size = ranks * bytes; count: the part of one rank
  divided,       ///< size = bytes; count: the part that one rank receives
};

struct NcclTest {
  const char* program;
  const char* name;   ///< of Scalemark's benchmark
  const char* type;   ///< of Scalemark's data if the key has none, in its own names
  const char* redop;  ///< if the key has none
  bool has_root;      ///< without a root -1 is printed
  NcclSize size;
  /// The operation is in place without an axis that says so, and algbw leaves out a rank's own
  /// part, as busbw does.
  bool is_hypercube = false;
};
inline constexpr std::array kNcclTests = {
    NcclTest{"all_reduce_perf", "micro/allreduce", "fp32", "sum", false, NcclSize::buffer},
    NcclTest{"all_gather_perf", "micro/allgather", "int8", "none", false, NcclSize::of_all_ranks},
    NcclTest{"reduce_scatter_perf", "micro/reduce_scatter", "fp32", "sum", false,
             NcclSize::divided},
    NcclTest{"broadcast_perf", "micro/broadcast", "int8", "none", true, NcclSize::buffer},
    NcclTest{"reduce_perf", "micro/reduce", "fp32", "sum", true, NcclSize::buffer},
    NcclTest{"alltoall_perf", "micro/alltoall", "int8", "none", false, NcclSize::of_all_ranks},
    NcclTest{"alltoallv_perf", "micro/alltoallv", "int8", "none", false, NcclSize::of_all_ranks},
    NcclTest{"gather_perf", "micro/gather", "int8", "none", true, NcclSize::of_all_ranks},
    NcclTest{"scatter_perf", "micro/scatter", "int8", "none", true, NcclSize::of_all_ranks},
    NcclTest{"sendrecv_perf", "micro/sendrecv", "int8", "sum", false, NcclSize::buffer},
    NcclTest{"hypercube_perf", "micro/hypercube", "int8", "", false, NcclSize::of_all_ranks,
             /*is_hypercube=*/true},
};

struct NcclType {
  const char* nccl_name;
  const char* dtype;
  std::int64_t bytes;  ///< per element
};
inline constexpr std::array kNcclTypes = {
    NcclType{"int8", "int8", 1},       NcclType{"uint8", "uint8", 1},
    NcclType{"int32", "int32", 4},     NcclType{"uint32", "uint32", 4},
    NcclType{"int64", "int64", 8},     NcclType{"uint64", "uint64", 8},
    NcclType{"half", "fp16", 2},       NcclType{"float", "fp32", 4},
    NcclType{"double", "fp64", 8},     NcclType{"bfloat16", "bf16", 2},
    NcclType{"f8e4m3", "fp8_e4m3", 1}, NcclType{"f8e5m2", "fp8_e5m2", 1}};

/// Finds a type by one of its two names; null if unknown.
inline const NcclType* nccl_type(const char* NcclType::*name, std::string_view value) {
  const auto* found = std::find_if(kNcclTypes.begin(), kNcclTypes.end(),
                                   [&](const NcclType& type) { return value == type.*name; });
  return found == kNcclTypes.end() ? nullptr : found;
}

/// Follows the version in the first line of a text printed by Scalemark.
inline constexpr const char* kNcclFormat = "nccl-tests 2.19.6 format";
/// Follows "# ": the parameters of a table printed by Scalemark, as in its case keys without size
/// and in_place.
inline constexpr const char* kNcclParameters = "Parameters of Scalemark:";

}  // namespace scalemark::formats
