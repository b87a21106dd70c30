// SPDX-License-Identifier: Apache-2.0
// The filling rule against the published splitmix64 value and the table of the golden files'
// README.
#include "common/golden/fill.hpp"

#include <array>

#include <gtest/gtest.h>

namespace scalemark::golden {
namespace {

struct Row {
  std::uint64_t seed, stream;
  std::array<std::uint64_t, 4> words;
  std::array<double, 4> syms;
};

constexpr std::array<Row, 3> kTable = {{
    {1,
     0,
     {0xB18A02F46D8D86C3, 0x6C5795E14B3B7E33, 0x1546A0F2C927EA0B, 0x0AD534B9EFC31CBC},
     {0.38702427802045847, -0.15357710360834553, -0.8337820829889899, -0.9153684703928555}},
    {1,
     1,
     {0xD5159B73432A2795, 0x7970E130D0C7742F, 0x952F980476B17683, 0xE86FF3A50EE68F8B},
     {0.66472190025372502, -0.051242686428342399, 0.16551494806243339, 0.81591649589045212}},
    {1,
     1000,
     {0xD54233396EC5AE21, 0xF0C6F16A01C41287, 0x21E51F65B543B35C, 0x33E1720030B470D5},
     {0.6660827665742037, 0.8810712592708403, -0.7351952317598909, -0.5946824549742726}},
}};

TEST(Fill, MixIsSplitmix64) { EXPECT_EQ(mix(0), 0xE220A8397B1DCDAFU); }

TEST(Fill, WordsAndSymsOfTheTable) {
  for (const auto& row : kTable) {
    for (std::size_t i = 0; i < row.words.size(); ++i) {
      EXPECT_EQ(word(row.seed, row.stream, i), row.words[i]) << row.stream << ", " << i;
      EXPECT_EQ(sym(row.seed, row.stream, i), row.syms[i]) << row.stream << ", " << i;
    }
  }
}

TEST(Fill, SymStaysInItsHalfOpenRange) {
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const double value = sym(7, 3, i);
    ASSERT_GE(value, -1.0);
    ASSERT_LT(value, 1.0);
  }
}

}  // namespace
}  // namespace scalemark::golden
