// SPDX-License-Identifier: Apache-2.0
// Reductions, element by element.
#include "tests/gpu/software/nccl/reduce.hpp"

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "tests/gpu/software/elements.hpp"

namespace scalemark::software_nccl {
namespace {

/// How an element is read and written, and the type in which one step is computed.
template <typename T>
struct Element {
  using Wide = T;
  static Wide widen(T value) { return value; }
  static T narrow(Wide value) { return value; }
};
template <>
struct Element<__half> {
  using Wide = float;
  static float widen(__half value) { return __half2float(value); }
  static __half narrow(float value) { return __float2half_rn(value); }
};
template <>
struct Element<__nv_bfloat16> {
  using Wide = float;
  static float widen(__nv_bfloat16 value) { return __bfloat162float(value); }
  static __nv_bfloat16 narrow(float value) { return __float2bfloat16_rn(value); }
};

template <>
struct Element<__nv_fp8_e4m3> {
  using Wide = float;
  static float widen(__nv_fp8_e4m3 value) { return static_cast<float>(value); }
  static __nv_fp8_e4m3 narrow(float value) { return __nv_fp8_e4m3(value); }
};
template <>
struct Element<__nv_fp8_e5m2> {
  using Wide = float;
  static float widen(__nv_fp8_e5m2 value) { return static_cast<float>(value); }
  static __nv_fp8_e5m2 narrow(float value) { return __nv_fp8_e5m2(value); }
};

/// One step. Whole numbers wrap round, as on a GPU.
template <typename Wide>
Wide combine(Wide a, Wide b, ncclRedOp_t op) {
  if (op == ncclMin) return b < a ? b : a;
  if (op == ncclMax) return b > a ? b : a;
  if constexpr (std::is_integral_v<Wide>) {
    const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    return static_cast<Wide>(op == ncclProd ? x * y : x + y);
  } else {
    return op == ncclProd ? a * b : a + b;
  }
}

/// The mean: floating-point numbers are scaled before they are added, whole ones divided
/// afterwards, as in NCCL.
template <typename T>
void reduce_as(std::span<const void* const> in, void* out, std::size_t count, ncclRedOp_t op) {
  using E = Element<T>;
  using Wide = typename E::Wide;
  constexpr bool kWhole = std::is_integral_v<T>;
  const bool mean = op == ncclAvg;
  const auto ranks = static_cast<Wide>(in.size());
  const auto read = [&](std::size_t rank, std::size_t index) {
    const Wide value = E::widen(software_gpu::load<T>(in[rank], index));
    if constexpr (!kWhole) {
      if (mean) return E::widen(E::narrow(value * E::widen(E::narrow(Wide{1} / ranks))));
    }
    return value;
  };
  for (std::size_t i = 0; i < count; ++i) {
    Wide sum = read(0, i);
    for (std::size_t rank = 1; rank < in.size(); ++rank)
      sum = E::widen(E::narrow(combine<Wide>(sum, read(rank, i), op)));
    if constexpr (kWhole) {
      if (mean) sum = static_cast<Wide>(sum / ranks);
    }
    software_gpu::store<T>(out, i, E::narrow(sum));
  }
}

}  // namespace

std::size_t size_of(ncclDataType_t type) {
  switch (type) {
    case ncclInt8:
    case ncclUint8:
    case ncclFloat8e4m3:
    case ncclFloat8e5m2:
      return 1;
    case ncclFloat16:
    case ncclBfloat16:
      return 2;
    case ncclInt32:
    case ncclUint32:
    case ncclFloat32:
      return 4;
    case ncclInt64:
    case ncclUint64:
    case ncclFloat64:
      return 8;
    default:
      return 0;
  }
}

bool is_known(ncclRedOp_t op) {
  return op == ncclSum || op == ncclProd || op == ncclMin || op == ncclMax || op == ncclAvg;
}

void reduce(std::span<const void* const> in, void* out, std::size_t count, ncclDataType_t type,
            ncclRedOp_t op) {
  switch (type) {
    case ncclInt8:
      return reduce_as<std::int8_t>(in, out, count, op);
    case ncclUint8:
      return reduce_as<std::uint8_t>(in, out, count, op);
    case ncclInt32:
      return reduce_as<std::int32_t>(in, out, count, op);
    case ncclUint32:
      return reduce_as<std::uint32_t>(in, out, count, op);
    case ncclInt64:
      return reduce_as<std::int64_t>(in, out, count, op);
    case ncclUint64:
      return reduce_as<std::uint64_t>(in, out, count, op);
    case ncclFloat16:
      return reduce_as<__half>(in, out, count, op);
    case ncclBfloat16:
      return reduce_as<__nv_bfloat16>(in, out, count, op);
    case ncclFloat32:
      return reduce_as<float>(in, out, count, op);
    case ncclFloat8e4m3:
      return reduce_as<__nv_fp8_e4m3>(in, out, count, op);
    case ncclFloat8e5m2:
      return reduce_as<__nv_fp8_e5m2>(in, out, count, op);
    default:
      return reduce_as<double>(in, out, count, op);
  }
}

}  // namespace scalemark::software_nccl
