// SPDX-License-Identifier: Apache-2.0
// Memory of GPUs from a stand-in for NVML.
#include "common/hardware/peaks/gpu_memory.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace scalemark::hardware {
namespace {

const std::string kNew = "0000:0a:00.0", kOld = "0000:b1:00.0";

TEST(GpuMemory, IsItsClockByItsWidth) {
  const Peak peak = gpu_memory_peak(kNew, SCALEMARK_FAKE_NVML);
  EXPECT_DOUBLE_EQ(peak.value, 2619e6 * 2 * 5120 / 8);
  EXPECT_EQ(peak.source, "memory of 5120 bits x 2 x 2619 MHz, theoretical");
}

TEST(GpuMemory, WhatNvmlDoesNotTellIsNotGuessed) {
  EXPECT_EQ(gpu_memory_peak(kOld, SCALEMARK_FAKE_NVML).missing,
            "NVML does not report the clock and width of the GPU's memory");
  EXPECT_EQ(gpu_memory_peak("0000:0b:00.0", SCALEMARK_FAKE_NVML).missing,
            "NVML does not list the GPU");
  EXPECT_EQ(gpu_memory_peak(kNew, "libmissing.so").missing, "NVML does not list the GPU");
}

TEST(GpuMemory, APartOfAGpuHasNone) {
  setenv("FAKE_NVML_MIG", "1", 1);
  EXPECT_EQ(gpu_memory_peak(kNew, SCALEMARK_FAKE_NVML).missing, "the GPU is divided (MIG)");
  unsetenv("FAKE_NVML_MIG");
}

}  // namespace
}  // namespace scalemark::hardware
