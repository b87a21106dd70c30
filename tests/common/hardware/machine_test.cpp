// SPDX-License-Identifier: Apache-2.0
// The five machines as hwloc describes them, and CPU lists.
#include "common/hardware/machine.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/hardware/gpu_paths.hpp"
#include "tests/common/hardware/topology.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::hardware {
namespace {

struct Expected {
  const char* name;
  std::size_t packages, numa, cores, threads;
  std::vector<int> gpu_numa;
};

TEST(Machine, HasWhatItsVendorBuiltIn) {
  const std::vector<Expected> machines = {{"2xepyc9334-4xh100", 2, 2, 64, 128, {0, 0, 1, 1}},
                                          {"dgx-h100", 2, 2, 112, 224, {0, 0, 0, 0, 1, 1, 1, 1}},
                                          {"4xgh200", 4, 4, 288, 288, {0, 1, 2, 3}},
                                          {"2xepyc7402-nps4-4xa100", 2, 8, 48, 96, {3, 1, 7, 5}},
                                          {"laptop", 1, 1, 4, 8, {}}};
  for (const Expected& want : machines) {
    const Machine machine = load(want.name);
    EXPECT_EQ(machine.numa.size(), want.numa) << want.name;
    EXPECT_EQ(machine.cores.size(), want.cores) << want.name;
    EXPECT_EQ(machine.allowed.size(), want.threads) << want.name;
    EXPECT_EQ(machine.numa.back().package, static_cast<int>(want.packages) - 1) << want.name;
    std::vector<int> nodes;
    for (const Gpu& gpu : machine.gpus) nodes.push_back(gpu.numa);
    EXPECT_EQ(nodes, want.gpu_numa) << want.name << ": GPUs in the order of their PCI addresses";
  }
}

TEST(Machine, GpuAddressesCarryTheirDomain) {
  EXPECT_EQ(load("4xgh200").gpus.at(1).pci_bus_id, "0019:01:00.0");
  EXPECT_EQ(load("dgx-h100").gpus.at(0).pci_bus_id, "0000:1b:00.0");
}

/// Two GPUs on one socket have a host bridge each; those of a DGX hang behind two bridges each.
TEST(Machine, GpusReachEachOtherOverPci) {
  const auto path = [](const Machine& machine, std::size_t a, std::size_t b) {
    EXPECT_EQ(pci_path(machine.gpus.at(a), machine.gpus.at(b)),
              pci_path(machine.gpus.at(b), machine.gpus.at(a)));
    return pci_path(machine.gpus.at(a), machine.gpus.at(b));
  };
  const Machine epyc = load("2xepyc9334-4xh100");
  EXPECT_EQ(path(epyc, 0, 1), "NODE");
  EXPECT_EQ(path(epyc, 0, 2), "SYS");
  EXPECT_EQ(path(load("4xgh200"), 0, 3), "SYS");
  const auto paths = gpu_paths(epyc, "libno-such-library.so");
  ASSERT_EQ(paths.size(), 4U);
  EXPECT_EQ(paths[2], (std::vector<std::string>{"SYS", "SYS", "X", "NODE"}));
}

TEST(Machine, SharedBridgesNameThePath) {
  const auto gpu = [](std::vector<std::string> bridges, int numa) {
    Gpu one;
    one.bridges = std::move(bridges);
    one.numa = numa;
    return one;
  };
  const Gpu at = gpu({"host0", "switch0", "port0"}, 0);
  EXPECT_EQ(pci_path(at, gpu({"host0", "switch0", "port1"}, 0)), "PIX");
  EXPECT_EQ(pci_path(at, gpu({"host0", "switch0", "switch1", "port0"}, 0)), "PXB");
  EXPECT_EQ(pci_path(at, gpu({"host0", "switch2", "port0"}, 0)), "PHB");
  EXPECT_EQ(pci_path(at, gpu({"host1", "switch0", "port0"}, 0)), "NODE");
  EXPECT_EQ(pci_path(at, gpu({"host1"}, 1)), "SYS");
  EXPECT_EQ(pci_path(at, gpu({"host1"}, -1)), "?");
  EXPECT_EQ(pci_path(at, gpu({}, 0)), "?");
}

TEST(Machine, ThreadsOfANodeAreTwoRangesAsLinuxNumbersThem) {
  EXPECT_EQ(to_list(load("2xepyc9334-4xh100").numa.at(0).cpus), "0-31,64-95");
}

TEST(Machine, KnowsItsDistances) {
  const Machine machine = load("2xepyc9334-4xh100");
  ASSERT_EQ(machine.distances.size(), 2U);
  EXPECT_EQ(machine.distances[0][0], 10U);
  EXPECT_EQ(machine.distances[0][1], 32U);
}

TEST(Machine, RefusesFilesThatAreNone) {
  EXPECT_THROW(load("nonexistent"), InputError);
  const test::TempDir folder;
  const std::string path = folder / "not.xml";
  std::ofstream(path) << "<topology><object type='Machine'";
  EXPECT_THROW(read_machine_xml(path), InputError);
}

TEST(Machine, ReadsThisOne) {
  const Machine machine = read_machine();
  EXPECT_FALSE(machine.cores.empty());
  EXPECT_FALSE(machine.allowed.empty());
}

TEST(CpuList, GoesBothWays) {
  EXPECT_EQ(parse_list("0-3,8"), (CpuSet{0, 1, 2, 3, 8}));
  EXPECT_EQ(to_list({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(parse_list("8,0-1,1"), (CpuSet{0, 1, 8}));
  EXPECT_EQ(to_list({}), "");
}

TEST(NumaNodeOf, IsTheOneThatHoldsAllCpus) {
  Machine machine;
  machine.numa = {{.index = 2, .package = 0, .memory_bytes = 0, .cpus = {0, 1, 4, 5}},
                  {.index = 7, .package = 1, .memory_bytes = 0, .cpus = {2, 3, 6, 7}}};
  EXPECT_EQ(numa_node_of(machine, {1, 5}), 2);
  EXPECT_EQ(numa_node_of(machine, {2, 3, 6, 7}), 7);
  EXPECT_EQ(numa_node_of(machine, {5, 6}), -1) << "in two nodes";
  EXPECT_EQ(numa_node_of(machine, {7, 8}), -1) << "CPU 8 is unknown";
  EXPECT_EQ(numa_node_of(machine, {}), -1);
}

TEST(CpuList, RefusesWhatIsNone) {
  for (const char* text : {"a", "1-", "-1", "3-1", "0-99999999999", "0-2000000000", "1,,2", "1K"}) {
    EXPECT_THROW(parse_list(text), UsageError) << text;
  }
}

}  // namespace
}  // namespace scalemark::hardware
