// SPDX-License-Identifier: Apache-2.0
// Prefixes and roundings.
#include "common/base/units.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "common/base/ucum.hpp"

namespace scalemark::units {
namespace {

TEST(Significant, KeepsDigitsAndIntegers) {
  EXPECT_EQ(significant(9.9996), "10.00");
  EXPECT_EQ(significant(0.00012345), "0.0001234");
  EXPECT_EQ(significant(1234567), "1234567");
  EXPECT_EQ(significant(-1.5, 2), "-1.5");
  EXPECT_EQ(significant(0), "0");
  EXPECT_EQ(significant(std::nan("")), "-");
  EXPECT_EQ(significant(INFINITY), "inf");
}

TEST(Bytes, UsesBinaryPrefixesWhenExactOrLarge) {
  EXPECT_EQ(bytes(0), "0 B");
  EXPECT_EQ(bytes(8), "8 B");
  EXPECT_EQ(bytes(1000), "1000 B");
  EXPECT_EQ(bytes(1024), "1 KiB");
  EXPECT_EQ(bytes(1500), "1500 B");
  EXPECT_EQ(bytes(1572864), "1.5 MiB");
  EXPECT_EQ(bytes(100000), "97.66 KiB");
  EXPECT_EQ(bytes(std::uint64_t{1} << 40), "1 TiB");
  EXPECT_EQ(bytes(UINT64_MAX), "16 EiB");
}

TEST(Seconds, ChoosesThePrefix) {
  EXPECT_EQ(seconds(1.234e-6), "1.234 us");
  EXPECT_EQ(seconds(0.5), "500.0 ms");
  EXPECT_EQ(seconds(12.345), "12.35 s");
  EXPECT_EQ(seconds(3e-9, 2), "3.0 ns");
  EXPECT_EQ(seconds(0), "0 s");
  EXPECT_EQ(seconds(-2e-3), "-2.000 ms");
  EXPECT_EQ(seconds(std::nan("")), "-");
}

TEST(Seconds, RoundsIntoTheNextPrefix) {
  EXPECT_EQ(seconds(999.96e-9), "1.000 us");
  EXPECT_EQ(seconds(999.94e-9), "999.9 ns");
}

TEST(Quantity, ReadsUcumUnits) {
  EXPECT_EQ(quantity(1.5e9, "By/s"), "1.500 GB/s");
  EXPECT_EQ(quantity(2.5e12, "flop/s"), "2.500 TFLOP/s");
  EXPECT_EQ(quantity(1e-6, "s"), "1.000 us");
  EXPECT_EQ(quantity(4096, "By"), "4 KiB");
  // A mean over runs is no whole number of bytes.
  EXPECT_EQ(quantity(323201076.4, "By"), "308.2 MiB");
  EXPECT_EQ(quantity(0.75, "1"), "0.7500");
  EXPECT_EQ(quantity(123456, "1"), "123456");
  EXPECT_EQ(quantity(0.0125, "J"), "12.50 mJ");
  EXPECT_EQ(quantity(812.3, "{token}/s"), "812.3 token/s");
  EXPECT_EQ(quantity(std::nan(""), "By/s"), "-");
}

TEST(WaitingTime, IsAsPeopleWait) {
  EXPECT_EQ(waiting_time(0.04), "0.0 s");
  EXPECT_EQ(waiting_time(9.94), "9.9 s");
  EXPECT_EQ(waiting_time(9.96), "10 s");
  EXPECT_EQ(waiting_time(59.6), "1 min 0 s");
  EXPECT_EQ(waiting_time(250), "4 min 10 s");
  EXPECT_EQ(waiting_time(3599.6), "1 h 0 min");
  EXPECT_EQ(waiting_time(7500), "2 h 5 min");
  EXPECT_EQ(waiting_time(-1), "-");
  EXPECT_EQ(waiting_time(std::nan("")), "-");
}

// UCUM: prefixes of table 1, binary ones of table 29; 8 bit are a byte.
TEST(BaseUnit, TakesPrefixesOff) {
  const auto expect = [](const char* given, const char* base, double factor) {
    const BaseUnit unit = base_unit(given);
    EXPECT_EQ(unit.unit, base) << given;
    EXPECT_DOUBLE_EQ(unit.factor, factor) << given;
  };
  expect("s", "s", 1);
  expect("ms", "s", 1e-3);
  expect("us", "s", 1e-6);
  expect("ns", "s", 1e-9);
  expect("min", "s", 60);
  expect("h", "s", 3600);
  expect("m", "m", 1);
  expect("das", "s", 10);
  expect("KiBy", "By", 1024);
  expect("GBy/s", "By/s", 1e9);
  expect("MiBy/ms", "By/s", 1048576e3);
  expect("Gbit/s", "By/s", 125e6);
  expect("Tflop/s", "flop/s", 1e12);
  expect("mJ/{token}", "J/{token}", 1e-3);
  expect("{token}/min", "{token}/s", 1.0 / 60);
  expect("%", "1", 0.01);
}

TEST(BaseUnit, LeavesWhatItDoesNotKnow) {
  for (const char* unit : {"", "1", "Cel", "{image}", "{image}/{step}", "MB", "mol", "cd", "s2",
                           "W.h", "/", "k", "mmin"}) {
    EXPECT_EQ(base_unit(unit).unit, unit);
    EXPECT_EQ(base_unit(unit).factor, 1) << unit;
  }
}

TEST(PercentChange, IsSigned) {
  EXPECT_EQ(percent_change(1.05), "+5.0 %");
  EXPECT_EQ(percent_change(0.9), "-10.0 %");
  EXPECT_EQ(percent_change(1), "+0.0 %");
  EXPECT_EQ(percent_change(0.9999), "+0.0 %");
  EXPECT_EQ(percent_change(std::nan("")), "-");
}

}  // namespace
}  // namespace scalemark::units
