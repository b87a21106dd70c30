// SPDX-License-Identifier: Apache-2.0
// Links of GPUs, from a stand-in for NVML and a folder like /sys.
#include "common/hardware/gpu_links.hpp"

#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include "tests/common/hardware/planted_sys.hpp"

namespace scalemark::hardware {
namespace {

const std::string kGpu = "0000:0a:00.0", kOther = "0000:b1:00.0", kThird = "0000:c1:00.0";

struct Gpus : testing::Test {
  void SetUp() override { behave("switch"); }
  void TearDown() override {
    unsetenv("FAKE_NVLINK");
    unsetenv("FAKE_NVML_FULL_LINK");
  }
  static void behave(const char* how) { setenv("FAKE_NVLINK", how, 1); }
  GpuLinks links(const std::string& gpu = kGpu, const std::string& library = SCALEMARK_FAKE_NVML) {
    return gpu_links(gpu, sys.path(), library);
  }
  /// What the GPU can send to others, those at `gpus`.
  static Peak peers(const GpuLinks& found, const std::vector<std::string>& gpus) {
    return gpu_peer_peak(found, gpus);
  }
  test::PlantedSys sys;
};

TEST_F(Gpus, NvlinksThatAreUpAddUp) {
  sys.gpu("32.0 GT/s PCIe", "16", "32.0 GT/s PCIe", "16");
  const GpuLinks found = links();
  EXPECT_EQ(found.nvlinks, 3) << "of four one is down";
  EXPECT_DOUBLE_EQ(found.nvlink.value, 3 * 26.562e9);
  EXPECT_EQ(found.nvlink.source, "NVLink 3 x 26.562 GB/s, theoretical");
  EXPECT_EQ(found.nvlink_to, "switch");
  EXPECT_EQ(found.pcie.source, "PCIe 5.0 x16, theoretical");
  EXPECT_EQ(found.host.source, found.pcie.source);
}

TEST_F(Gpus, WithoutTheSpeedTheVersionTells) {
  behave("version 6");
  EXPECT_DOUBLE_EQ(links().nvlink.value, 3 * 26.5625e9);
  behave("version 7");
  EXPECT_DOUBLE_EQ(links().nvlink.value, 3 * 53.125e9);
  behave("version 4");
  EXPECT_DOUBLE_EQ(links().nvlink.value, 3 * 25e9);
  for (const char* unknown : {"version 0", "version 8", "version 999"}) {
    behave(unknown);
    EXPECT_EQ(links().nvlink.value, 0) << unknown;
    EXPECT_EQ(links().nvlinks, 3);
    EXPECT_EQ(links().nvlink.missing, "NVML does not report the speed of the GPU's NVLinks");
  }
}

TEST_F(Gpus, WithoutNvlinkPeersAreReachedByPcie) {
  sys.link("sys/bus/pci/devices/" + kOther, "sys/devices/pci0000:00/0000:00:02.0/" + kOther);
  const std::string port = "sys/devices/pci0000:00/0000:00:02.0";
  for (const std::string& end : {port, port + "/" + kOther}) {
    sys.file(end + "/max_link_speed", "16.0 GT/s PCIe\n");
    sys.file(end + "/max_link_width", "16\n");
  }
  const GpuLinks found = links(kOther);
  EXPECT_EQ(found.nvlinks, 0);
  EXPECT_EQ(found.nvlink.missing, "the GPU has no NVLink that is up");
  EXPECT_EQ(peers(found, {kGpu, kOther}).source, "PCIe 4.0 x16, theoretical");
}

TEST_F(Gpus, WhatNvmlDoesNotTellIsNotGuessed) {
  sys.gpu("32.0 GT/s PCIe", "16", "32.0 GT/s PCIe", "16");
  behave("lost");
  for (const GpuLinks& found : {links(), links(kGpu, "libmissing.so")}) {
    EXPECT_FALSE(found.nvlinks);
    EXPECT_EQ(found.host.source, "PCIe 5.0 x16, theoretical");
    EXPECT_EQ(peers(found, {kGpu, kOther}).value, 0) << "there may be NVLinks";
    EXPECT_EQ(peers(found, {kGpu, kOther}).missing,
              "NVML does not report whether the GPU has NVLinks");
  }
}

TEST_F(Gpus, WithoutSysNvmlTellsTheSlot) {
  EXPECT_EQ(links().pcie.source, "PCIe 5.0 x16, theoretical");
  EXPECT_EQ(links(kOther).pcie.missing, "neither /sys nor NVML reports the GPU's PCIe link");
}

TEST_F(Gpus, BelowAHiddenPortALinkAtItsHighestTellsThePeak) {
  sys.gpu("32.0 GT/s PCIe", "16", "Unknown", "0");
  EXPECT_EQ(links().pcie.missing, "the PCIe port above 0000:0a:00.0 does not report its link");
  setenv("FAKE_NVML_FULL_LINK", "1", 1);
  EXPECT_EQ(links().pcie.source, "PCIe 5.0 x16, theoretical");
  EXPECT_EQ(links().host.source, links().pcie.source);
  sys.gpu("32.0 GT/s PCIe", "16", "16.0 GT/s PCIe", "16");
  EXPECT_EQ(links().pcie.source, "PCIe 4.0 x16, theoretical") << "/sys comes first";
}

TEST_F(Gpus, OfDirectNvlinksOnlyThoseToTheOnlyOtherGpuCount) {
  behave("switch");
  EXPECT_EQ(peers(links(), {kGpu, kOther, kThird}).source, "NVLink 3 x 26.562 GB/s, theoretical");
  behave("direct");
  const GpuLinks found = links();
  EXPECT_EQ(found.nvlink_to, kOther);
  EXPECT_GT(peers(found, {kGpu, kOther}).value, 0);
  EXPECT_EQ(peers(found, {kGpu, kOther, kThird}).value, 0);
  EXPECT_EQ(peers(found, {kGpu, kThird}).value, 0);
  EXPECT_NE(peers(found, {kGpu, kThird}).missing, "");
  behave("mixed");
  EXPECT_EQ(links().nvlink_to, "");
  EXPECT_EQ(peers(links(), {kGpu, kOther}).value, 0);
}

TEST_F(Gpus, HostsThatAreNotBehindPcieHaveNoPeak) {
  sys.gpu("32.0 GT/s PCIe", "16", "32.0 GT/s PCIe", "16");
  for (const char* how : {"host", "c2c"}) {
    behave(how);
    EXPECT_EQ(links().host.value, 0) << how;
    EXPECT_NE(links().host.missing, "") << how;
    EXPECT_GT(links().pcie.value, 0) << how;
  }
}

}  // namespace
}  // namespace scalemark::hardware
