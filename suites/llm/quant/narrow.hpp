// SPDX-License-Identifier: Apache-2.0
// Types of elements and the types that loops compute them in: bf16 and fp16 are computed in fp32
// and rounded.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include "common/base/clones.hpp"

namespace scalemark::llm {

template <typename T>
struct WideType {
  using Type = T;
};
template <>
struct WideType<c10::BFloat16> {
  using Type = float;
};
template <>
struct WideType<c10::Half> {
  using Type = float;
};
template <typename T>
using Wide = typename WideType<T>::Type;

/// As c10's conversion, but inlined into loops for every instruction set.
SCALEMARK_INLINE float widen(c10::BFloat16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.x) << 16U);
}
SCALEMARK_INLINE float widen(c10::Half value) { return static_cast<float>(value); }
SCALEMARK_INLINE float widen(float value) { return value; }
SCALEMARK_INLINE double widen(double value) { return value; }

/// Rounded to T: to nearest, ties to even.
template <typename T>
SCALEMARK_INLINE T narrow(Wide<T> value) {
  if constexpr (std::is_same_v<T, c10::BFloat16>) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t up = bits + 0x7FFFU + ((bits >> 16U) & 1U);
    return {static_cast<std::uint16_t>(up >> 16U), c10::BFloat16::from_bits()};
  } else {
    return static_cast<T>(value);
  }
}
/// The value after rounding to T.
template <typename T>
SCALEMARK_INLINE Wide<T> rounded(Wide<T> value) {
  return widen(narrow<T>(value));
}

}  // namespace scalemark::llm
