// SPDX-License-Identifier: Apache-2.0
// Readings and settings of GPUs, from a stand-in for NVML.
#include "common/hardware/sensors/gpu_sensors.hpp"

#include <gtest/gtest.h>

namespace scalemark::hardware {
namespace {

const std::vector<std::string> kGpus = {"0000:0a:00.0", "0000:77:00.0", "0000:b1:00.0"};

double value(const Reading& reading, const std::string& name) {
  const double* found = reading.find(name);
  return found ? *found : -1;
}

TEST(GpuSensors, ReadsWhatItTellsInSiUnits) {
  GpuSensors gpu("0000:0a:00.0", SCALEMARK_FAKE_NVML);
  ASSERT_TRUE(gpu.found());
  const Reading first = gpu.read();
  EXPECT_EQ(value(first, "sm_clock"), 1.98e9);
  EXPECT_EQ(value(first, "memory_clock"), 2.619e9);
  EXPECT_EQ(value(first, "power"), 612.5);
  EXPECT_EQ(value(first, "temperature"), 61);
  EXPECT_EQ(value(first, "ecc_corrected"), 12);
  EXPECT_EQ(value(first, "ecc_uncorrected"), 1);
  EXPECT_EQ(value(first, "pcie_generation"), 4);
  EXPECT_EQ(value(first, "pcie_width"), 8);
  EXPECT_EQ(first.texts.at("clock_event_reasons"), "sw_power_cap");
  EXPECT_FALSE(is_slowed_down(first.texts.at("clock_event_reasons")));
  // 4 and 2.5 of the 10 ms between two looks.
  EXPECT_DOUBLE_EQ(value(first, "power_capped"), 0.4);
  EXPECT_DOUBLE_EQ(value(first, "heat_slowed"), 0.25);
  const Reading second = gpu.read();
  EXPECT_EQ(value(second, "sm_clock"), 0.99e9);
  EXPECT_EQ(second.texts.at("clock_event_reasons"), "sw_power_cap+hw_thermal_slowdown");
  EXPECT_TRUE(is_slowed_down(second.texts.at("clock_event_reasons")));
}

/// By NVML's documentation: what protects the GPU slows it down, what was asked for does not.
TEST(GpuSensors, KnowsWhichReasonsSlowDown) {
  for (const char* reason : {"hw_slowdown", "sw_thermal_slowdown", "hw_thermal_slowdown",
                             "hw_power_brake", "gpu_idle+hw_power_brake"})
    EXPECT_TRUE(is_slowed_down(reason)) << reason;
  for (const char* reason : {"gpu_idle", "clocks_setting", "sw_power_cap", "sync_boost",
                             "display_clock_setting", "none", ""})
    EXPECT_FALSE(is_slowed_down(reason)) << reason;
}

TEST(GpuSensors, WhatAGpuDoesNotTellIsLeftOut) {
  GpuSensors gpu("0000:b1:00.0", SCALEMARK_FAKE_NVML);
  const Reading reading = gpu.read();
  ASSERT_EQ(reading.quantities.size(), 1U);
  EXPECT_EQ(reading.quantities[0].name, "temperature");
  EXPECT_TRUE(reading.texts.empty());
}

TEST(GpuSensors, WithoutTheGpuOrNvmlThereIsNothing) {
  EXPECT_FALSE(GpuSensors("0000:77:00.0", SCALEMARK_FAKE_NVML).found());
  GpuSensors none("0000:0a:00.0", "libmissing.so");
  EXPECT_FALSE(none.found());
  EXPECT_TRUE(none.read().quantities.empty());
  EXPECT_TRUE(gpu_settings(kGpus, "libmissing.so").empty());
}

TEST(GpuSettings, AreTextsWithTheirUnitsOrTheReason) {
  const auto all = gpu_settings(kGpus, SCALEMARK_FAKE_NVML);
  ASSERT_EQ(all.size(), 2U) << "one of the three is not there";
  EXPECT_EQ(all.at("0000:b1:00.0").at("ecc"), "unavailable: not reported by NVML");
  const auto& settings = all.at("0000:0a:00.0");
  EXPECT_EQ(settings.at("vbios"), "96.00.A5?");
  EXPECT_EQ(settings.at("power_limit"), "650 W");
  EXPECT_EQ(settings.at("power_limit_default"), "700 W");
  EXPECT_EQ(settings.at("ecc"), "on");
  EXPECT_EQ(settings.at("persistence"), "off");
  EXPECT_EQ(settings.at("mig"), "unavailable: not reported by NVML");
  EXPECT_EQ(settings.at("pcie_generation_max"), "5");
  EXPECT_EQ(settings.at("remapped_rows"), "unavailable: not reported by NVML");
}

}  // namespace
}  // namespace scalemark::hardware
