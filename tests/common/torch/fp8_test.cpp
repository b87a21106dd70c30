// SPDX-License-Identifier: Apache-2.0
// 8-bit floating-point numbers against LibTorch's.
#include "common/collective/fp8.hpp"

#include <cmath>
#include <cstdint>

#include <c10/util/Float8_e4m3fn.h>
#include <c10/util/Float8_e5m2.h>
#include <gtest/gtest.h>

namespace scalemark::collective {
namespace {

template <typename Ours, typename Theirs>
void expect_same_values() {
  for (int bits = 0; bits < 256; ++bits) {
    const Theirs theirs(static_cast<std::uint8_t>(bits), Theirs::from_bits());
    const float value = Ours::widen(static_cast<std::uint8_t>(bits));
    if (std::isnan(static_cast<float>(theirs))) {
      EXPECT_TRUE(std::isnan(value)) << bits;
    } else {
      EXPECT_EQ(value, static_cast<float>(theirs)) << bits;
      EXPECT_EQ(std::signbit(value), std::signbit(static_cast<float>(theirs))) << bits;
    }
  }
}

/// Steps through all magnitudes up to `largest`, ties of two neighbours among them.
template <typename Ours, typename Theirs>
void expect_same_rounding(float largest) {
  for (float magnitude = 0x1p-20F; magnitude <= largest; magnitude *= 1 + 0x1p-6F) {
    for (const float value : {magnitude, -magnitude}) {
      const auto narrowed = static_cast<std::uint8_t>(Ours::narrow(value));
      EXPECT_EQ(narrowed, Theirs(value).x) << value;
    }
  }
  for (int bits = 0; Ours::widen(static_cast<std::uint8_t>(bits)) < largest; ++bits) {
    const float low = Ours::widen(static_cast<std::uint8_t>(bits)),
                high = Ours::widen(static_cast<std::uint8_t>(bits + 1)), tie = (low + high) / 2;
    for (const float value : {low, tie, std::nextafter(tie, 0.0F), std::nextafter(tie, high)})
      EXPECT_EQ(Ours::narrow(value), Theirs(value).x) << value;
  }
}

TEST(Fp8, ValuesAndRoundingAreThoseOfLibTorch) {
  expect_same_values<Fp8E4m3, c10::Float8_e4m3fn>();
  expect_same_values<Fp8E5m2, c10::Float8_e5m2>();
  expect_same_rounding<Fp8E4m3, c10::Float8_e4m3fn>(448);
  expect_same_rounding<Fp8E5m2, c10::Float8_e5m2>(57344);
}

/// LibTorch makes these infinite or no number; CUDA and NCCL take the largest number.
TEST(Fp8, BeyondTheLargestNumberIsTheLargest) {
  EXPECT_EQ(Fp8E4m3::narrow(1e9F), 0x7E);
  EXPECT_EQ(Fp8E4m3::narrow(-HUGE_VALF), 0xFE);
  EXPECT_EQ(Fp8E5m2::narrow(1e9F), 0x7B);
  EXPECT_EQ(Fp8E5m2::narrow(NAN) & 0x7F, 0x7F);
  EXPECT_EQ(Fp8E4m3::narrow(NAN) & 0x7F, 0x7F);
}

}  // namespace
}  // namespace scalemark::collective
