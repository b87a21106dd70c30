// SPDX-License-Identifier: Apache-2.0
// Rates of networks and slots, from folders like /sys.
#include "common/hardware/links.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/common/hardware/planted_sys.hpp"

namespace scalemark::hardware {
namespace {

using ::testing::HasSubstr;

struct Links : testing::Test {
  Peak network() const { return network_peak(network_ports(sys.path())); }
  Peak slot() const { return pcie_peak("0000:0a:00.0", sys.path()); }
  test::PlantedSys sys;
};

TEST_F(Links, OneInterfaceIsTheNetwork) {
  sys.interface("eth0", "0000:00:03.0", "25000");
  const Peak peak = network();
  EXPECT_DOUBLE_EQ(peak.value, 25e9 / 8);
  EXPECT_EQ(peak.source, "Ethernet eth0 25 Gb/s, theoretical");
  EXPECT_EQ(peak.missing, "");
}

TEST_F(Links, WhatHasNoHardwareOrIsDownPromisesNothing) {
  sys.interface("veth0", "", "10000");
  sys.interface("lo", "", "");
  sys.interface("eth1", "0000:00:04.0", "100000", "down");
  EXPECT_TRUE(network_ports(sys.path()).empty());
  EXPECT_EQ(network().value, 0);
  EXPECT_THAT(network().missing, HasSubstr("no network adapter"));
  // An adapter that the kernel says is virtual, although it has a device.
  sys.link("sys/devices/virtual/net/veth0/device", "sys/devices/virtual/x");
  EXPECT_TRUE(network_ports(sys.path()).empty());
}

TEST_F(Links, OfSeveralNetworksNobodyKnowsWhichOne) {
  sys.interface("eth0", "0000:00:03.0", "25000");
  sys.interface("eth1", "0000:00:04.0", "-1");
  EXPECT_EQ(network().value, 0);
  EXPECT_THAT(network().missing, HasSubstr("several networks"));
}

TEST_F(Links, ASpeedThatIsNoneIsNotBelieved) {
  for (const char* speed : {"-1", "0", "", "fast", "25000 ", "0x10", "25e3", "25K", "1e999",
                            "100000000", "99999999999999999999999", "\x1b[2J"}) {
    sys.interface("eth0", "0000:00:03.0", "1");
    sys.file("sys/class/net/eth0/speed", std::string(speed) + "\n");
    EXPECT_EQ(network().value, 0) << speed;
    EXPECT_EQ(network().missing, "Ethernet eth0 does not report its rate") << speed;
    std::filesystem::remove_all(sys.path() / "sys");
  }
  sys.interface("eth0", "0000:00:03.0", std::string(1 << 20, '1'));
  EXPECT_EQ(network().value, 0);
}

TEST_F(Links, ActivePortsOfInfinibandAddUpAndComeFirst) {
  sys.interface("eth0", "0000:00:03.0", "25000");
  sys.infiniband("mlx5_0", "200 Gb/sec (4X HDR)", "InfiniBand");
  EXPECT_DOUBLE_EQ(network().value, 25e9);
  EXPECT_EQ(network().source, "InfiniBand mlx5_0 200 Gb/s, theoretical");
  sys.infiniband("mlx5_1", "200 Gb/sec (4X HDR)", "InfiniBand");
  sys.infiniband("mlx5_2", "400 Gb/sec (4X NDR)", "InfiniBand", "1: DOWN");
  EXPECT_DOUBLE_EQ(network().value, 50e9);
  EXPECT_EQ(network().source, "InfiniBand 2 x 200 Gb/s, theoretical");
  sys.infiniband("mlx5_1", "100 Gb/sec (4X EDR)", "InfiniBand", "4: ACTIVE", "2");
  EXPECT_EQ(network().source,
            "InfiniBand mlx5_0 200 Gb/s + mlx5_1 200 Gb/s + mlx5_1 port 2 100 Gb/s, theoretical");
  EXPECT_DOUBLE_EQ(network().value, 62.5e9);
}

TEST_F(Links, SocketsUseTheInterface) {
  sys.interface("eth0", "0000:00:03.0", "25000");
  sys.infiniband("mlx5_0", "200 Gb/sec (4X HDR)", "InfiniBand");
  EXPECT_EQ(network_peak(network_ports(sys.path()), /*sockets=*/true).source,
            "Ethernet eth0 25 Gb/s, theoretical");
  sys.interface("ib0", "0000:00:07.0", "200000");
  sys.file("sys/class/net/ib0/type", "32\n");
  EXPECT_THAT(network_peak(network_ports(sys.path()), true).missing, HasSubstr("several networks"));
}

TEST_F(Links, InfinibandBesideRoceIsTwoNetworks) {
  sys.infiniband("mlx5_0", "200 Gb/sec (4X HDR)", "InfiniBand");
  sys.infiniband("mlx5_1", "100 Gb/sec (4X EDR)", "Ethernet");
  EXPECT_THAT(network().missing, HasSubstr("several networks"));
}

TEST_F(Links, SoftwareAdaptersPromiseNothing) {
  sys.infiniband("rxe0", "2.5 Gb/sec (1X SDR)", "Ethernet", "4: ACTIVE", "1", "virtual");
  EXPECT_THAT(network().missing, HasSubstr("no network adapter"));
}

// 8b/10b up to QDR, 64b/66b of 4 x 14.0625 Gb/s for FDR; names of later ones are of data, and so
// are all of Ethernet's.
TEST_F(Links, InfinibandCountsDataBits) {
  const auto gigabits = [&](const char* rate, const char* layer) {
    sys.infiniband("mlx5_0", rate, layer);
    return network().value * 8 / 1e9;
  };
  EXPECT_DOUBLE_EQ(gigabits("10 Gb/sec (4X)", "InfiniBand"), 8);
  EXPECT_DOUBLE_EQ(gigabits("10 Gb/sec (4X SDR)", "InfiniBand"), 8);
  EXPECT_DOUBLE_EQ(gigabits("40 Gb/sec (4X QDR)", "InfiniBand"), 32);
  EXPECT_DOUBLE_EQ(gigabits("56 Gb/sec (4X FDR)", "InfiniBand"), 56.25 * 64 / 66);
  EXPECT_DOUBLE_EQ(gigabits("40 Gb/sec (4X FDR10)", "InfiniBand"), 40);
  EXPECT_DOUBLE_EQ(gigabits("400 Gb/sec (4X NDR)", "InfiniBand"), 400);
  EXPECT_DOUBLE_EQ(gigabits("10 Gb/sec (1X QDR)", "Ethernet"), 10);
  for (const char* rate : {"", "Gb/sec", "200", "-200 Gb/sec (4X HDR)", "0 Gb/sec", "inf Gb/sec",
                           "nan Gb/sec", "1e9 Gb/sec", "999999 Gb/sec (4X HDR)"})
    EXPECT_EQ(gigabits(rate, "InfiniBand"), 0) << rate;
}

TEST_F(Links, RatesOfPcieByVersion) {
  EXPECT_DOUBLE_EQ(pcie_rate(2.5, 1).value, 0.25e9);
  EXPECT_DOUBLE_EQ(pcie_rate(5, 16).value, 8e9);
  EXPECT_DOUBLE_EQ(pcie_rate(8, 16).value, 8e9 * 16 * 128 / 130 / 8);
  EXPECT_NEAR(pcie_rate(16, 16).value, 31.508e9, 1e6);
  EXPECT_NEAR(pcie_rate(32, 16).value, 63.015e9, 1e6);
  EXPECT_DOUBLE_EQ(pcie_rate(64, 16).value, 121e9);
  EXPECT_EQ(pcie_rate(32, 16).source, "PCIe 5.0 x16, theoretical");
  EXPECT_EQ(pcie_rate(128, 16).value, 0);
  EXPECT_EQ(pcie_rate(32, 3).value, 0);
  EXPECT_EQ(pcie_rate(32, 0).missing, "unknown PCIe rate: 32 GT/s, 0 lanes");
}

TEST_F(Links, TheLowerOfDeviceAndPortCounts) {
  sys.gpu("32.0 GT/s PCIe", "16", "16.0 GT/s PCIe", "16");
  EXPECT_EQ(slot().source, "PCIe 4.0 x16, theoretical");
  sys.gpu("8 GT/s", "16", "16.0 GT/s PCIe", "8", "2.5 GT/s", "8");
  EXPECT_EQ(slot().source, "PCIe 3.0 x8, theoretical");
  EXPECT_DOUBLE_EQ(slot().value, pcie_rate(8, 8).value);
}

TEST_F(Links, ASlotThatIsNotWhollyKnownHasNoPeak) {
  EXPECT_EQ(slot().missing, "no PCI device 0000:0a:00.0 in /sys");
  EXPECT_EQ(pcie_peak("../../../x", sys.path()).missing, "no PCI device ../../../x in /sys");
  sys.gpu("32.0 GT/s PCIe", "16", "", "");
  EXPECT_THAT(slot().missing, HasSubstr("the PCIe port above 0000:0a:00.0 does not report"));
  sys.gpu("Unknown", "16", "16.0 GT/s PCIe", "16");
  EXPECT_THAT(slot().missing, HasSubstr("0000:0a:00.0 does not report its PCIe link"));
  for (const char* width : {"0", "255", "-16", "16.5", "x16", ""}) {
    sys.gpu("32.0 GT/s PCIe", width, "32.0 GT/s PCIe", "16");
    EXPECT_EQ(slot().value, 0) << width;
  }
  sys.gpu("33 GT/s PCIe", "16", "64.0 GT/s PCIe", "16");
  EXPECT_EQ(slot().missing, "unknown PCIe rate: 33 GT/s, 16 lanes");
}

// As some virtual machines have it.
TEST_F(Links, APortThatSaysLessThanGoesThroughItIsNotBelieved) {
  sys.gpu("32.0 GT/s PCIe", "16", "2.5 GT/s PCIe", "1", "32.0 GT/s PCIe", "16");
  EXPECT_THAT(slot().missing, HasSubstr("reports a slower link than is in use"));
  sys.gpu("32.0 GT/s PCIe", "16", "32.0 GT/s PCIe", "1", "2.5 GT/s PCIe", "16");
  EXPECT_THAT(slot().missing, HasSubstr("reports a slower link than is in use"));
}

}  // namespace
}  // namespace scalemark::hardware
