// SPDX-License-Identifier: Apache-2.0
// The tests of nccl-tests 2.19.6 that a benchmark of ours measures too, with their sizes and types.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace scalemark::formats {

/// What nccl-tests call the size of a test, where `bytes` is ours (OSU's), and what it counts:
/// the elements that a rank gives to the operation (src/*.cu, GetCollByteCount).
enum class NcclSize {
  buffer,        ///< size = bytes; counted are all of it
  of_all_ranks,  ///< size = ranks * bytes; counted is one rank's part
  divided,       ///< size = bytes; counted is the part that one rank gets
};

struct NcclTest {
  const char* program;
  const char* name;   ///< of our benchmark
  const char* type;   ///< of our data where the key says nothing, in our words
  const char* redop;  ///< where the key says nothing
  bool has_root;      ///< -1 stands for none
  NcclSize size;
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
};

struct NcclType {
  const char* theirs;
  const char* ours;
  std::int64_t bytes;  ///< of an element
};
inline constexpr std::array kNcclTypes = {
    NcclType{"int8", "int8", 1},    NcclType{"int32", "int32", 4}, NcclType{"int64", "int64", 8},
    NcclType{"half", "fp16", 2},    NcclType{"float", "fp32", 4},  NcclType{"double", "fp64", 8},
    NcclType{"bfloat16", "bf16", 2}};

/// The type by one of its two names; null if it is not known.
inline const NcclType* nccl_type(const char* NcclType::*name, std::string_view value) {
  const auto* found = std::find_if(kNcclTypes.begin(), kNcclTypes.end(),
                                   [&](const NcclType& type) { return value == type.*name; });
  return found == kNcclTypes.end() ? nullptr : found;
}

/// In the first line of a text that Scalemark printed, behind its version.
inline constexpr const char* kNcclFormat = "nccl-tests 2.19.6 format";
/// Behind "# ": the parameters of a table that Scalemark printed, as in its cases' keys but for the
/// size and in_place.
inline constexpr const char* kNcclParameters = "Parameters of Scalemark:";

}  // namespace scalemark::formats
