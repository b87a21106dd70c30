// SPDX-License-Identifier: Apache-2.0
// Which adapter belongs to a GPU, on machines with several in a NUMA node.
#include "common/hardware/nearest_nic.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/common/hardware/topology.hpp"

namespace scalemark::hardware {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> nics_of_gpus(const Machine& machine) {
  std::vector<std::string> names;
  for (const Gpu& gpu : machine.gpus)
    names.push_back(nearest_nic(machine, gpu.pci_bus_id, gpu.numa));
  return names;
}

TEST(NearestNic, EachGpuOfADgxHasItsOwn) {
  EXPECT_THAT(nics_of_gpus(load("dgx-h100")), ElementsAre("mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3",
                                                          "mlx5_4", "mlx5_5", "mlx5_6", "mlx5_7"));
  EXPECT_THAT(nics_of_gpus(load("4xgh200")), ElementsAre("cxi0", "cxi1", "cxi2", "cxi3"));
}

TEST(NearestNic, GpusOfASocketShareItsOnlyOne) {
  EXPECT_THAT(nics_of_gpus(load("2xepyc9334-4xh100")),
              ElementsAre("mlx5_0", "mlx5_0", "mlx5_1", "mlx5_1"));
}

TEST(NearestNic, WithoutAGpuTheNumaNodeDecides) {
  EXPECT_EQ(nearest_nic(load("2xepyc9334-4xh100"), "", 1), "mlx5_1");
  EXPECT_EQ(nearest_nic(load("dgx-h100"), "", 1), "") << "it has four";
  EXPECT_EQ(nearest_nic(load("dgx-h100"), "", -1), "");
  EXPECT_EQ(nearest_nic(load("laptop"), "", 0), "");
}

/// Two GPUs and two adapters behind one switch, whose ports differ.
Machine with_switch(const std::vector<std::string>& behind_second_port) {
  Machine machine;
  Gpu gpu;
  gpu.pci_bus_id = "0000:01:00.0";
  gpu.numa = 0;
  gpu.bridges = {"host0", "switch0", "port0"};
  machine.gpus = {gpu};
  const auto nic = [&](const std::string& name, bool is_rdma, const std::vector<std::string>& on) {
    machine.nics.push_back(
        {.name = name, .pci_bus_id = {}, .numa = 0, .is_rdma = is_rdma, .bridges = on});
  };
  nic("eth0", false, gpu.bridges);
  nic("mlx5_0", true, {"host0", "switch0", "port1"});
  nic("mlx5_1", true, behind_second_port);
  nic("mlx5_2", true, {"host1"});
  return machine;
}

TEST(NearestNic, OfSeveralAsNearNoneIsNamed) {
  EXPECT_THAT(nics_of_gpus(with_switch({"host0", "switch0", "port2"})), ElementsAre(""));
  EXPECT_THAT(nics_of_gpus(with_switch({"host0", "switch1", "port2"})), ElementsAre("mlx5_0"));
  EXPECT_THAT(nics_of_gpus(with_switch({"host0", "switch0", "port0"})), ElementsAre("mlx5_1"));
}

TEST(NearestNic, EthernetCountsWhereThereIsNoRdma) {
  Machine machine = with_switch({});
  machine.nics.resize(1);
  EXPECT_THAT(nics_of_gpus(machine), ElementsAre("eth0"));
}

}  // namespace
}  // namespace scalemark::hardware
