// SPDX-License-Identifier: Apache-2.0
// Element types and reduction operations of communication, and kinds of operations.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace scalemark::collective {

enum class DType {
  int8,
  uint8,
  int32,
  uint32,
  int64,
  uint64,
  fp16,
  bf16,
  fp32,
  fp64,
  fp8_e4m3,
  fp8_e5m2
};
inline constexpr std::size_t kDTypes = 12;
/// Bytes of one element.
constexpr std::size_t size_of(DType type) {
  constexpr std::size_t sizes[kDTypes] = {1, 1, 4, 4, 8, 8, 2, 2, 4, 8, 1, 1};
  return sizes[static_cast<std::size_t>(type)];
}
constexpr bool is_unsigned(DType type) {
  return type == DType::uint8 || type == DType::uint32 || type == DType::uint64;
}
constexpr bool is_integer(DType type) {
  return is_unsigned(type) || type == DType::int8 || type == DType::int32 || type == DType::int64;
}
constexpr bool is_fp8(DType type) { return type == DType::fp8_e4m3 || type == DType::fp8_e5m2; }
std::string_view to_string(DType type);
DType dtype_from(std::string_view text);  ///< Throws UsageError.

enum class ReduceOp { sum, prod, min, max, avg };
std::string_view to_string(ReduceOp op);
ReduceOp reduce_op_from(std::string_view text);  ///< Throws UsageError.

/// Kinds of operations that a library takes device memory for or not, most common first: messages,
/// blocking collectives, put and get, and collectives that return at once. Open MPI 4 takes device
/// memory in messages and blocking collectives, and in others only by some transports
/// (https://www.open-mpi.org/faq/?category=runcuda).
enum class DeviceUse { messages, collectives, one_sided, nonblocking_collectives };
inline constexpr std::array kDeviceUses = {DeviceUse::messages, DeviceUse::collectives,
                                           DeviceUse::one_sided,
                                           DeviceUse::nonblocking_collectives};
std::string_view to_string(DeviceUse use);

}  // namespace scalemark::collective
