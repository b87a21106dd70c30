// SPDX-License-Identifier: Apache-2.0
// One node as plain data: what hwloc, the kernel and (where present) NVML and CUDA say of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace scalemark::topology {

/// Logical CPUs (hardware threads) by OS index, sorted.
using CpuSet = std::vector<int>;

/// "0-3,8" <-> {0,1,2,3,8}. parse throws UsageError.
std::string to_list(const CpuSet& cpus);
CpuSet parse_list(const std::string& text);

struct Core {
  int index = 0;  ///< logical index over the machine
  int package = 0;
  int numa = 0;  ///< OS index of the NUMA node
  CpuSet cpus;   ///< its hardware threads, first one first
};

struct NumaNode {
  int index = 0;  ///< OS index
  int package = 0;
  std::uint64_t memory_bytes = 0;
  CpuSet cpus;
};

struct Gpu {
  int index = 0;  ///< CUDA's index with CUDA_DEVICE_ORDER=PCI_BUS_ID, before CUDA_VISIBLE_DEVICES
  std::string pci_bus_id;  ///< dddd:bb:dd.f, lower case
  std::string uuid;        ///< empty if unknown
  std::string name;
  int numa = -1;  ///< OS index of the nearest NUMA node with cores; -1 unknown
};

struct Nic {
  std::string name;
  std::string pci_bus_id;
  int numa = -1;
};

struct Machine {
  std::string cpu_model;
  std::vector<Core> cores;  ///< logical order (near ones adjacent)
  std::vector<NumaNode> numa;
  std::vector<Gpu> gpus;  ///< sorted by PCI bus id
  std::vector<Nic> nics;
  CpuSet allowed;  ///< what this process may use (cpuset, affinity)
  /// Distances between NUMA nodes [i][j] in the order of `numa`; empty if unknown.
  std::vector<std::vector<std::uint64_t>> distances;
};

/// The machine that this process runs on, restricted by its cpuset and affinity at program start.
Machine read_machine();
/// A machine from an hwloc XML file; everything in it is allowed. Throws InputError.
Machine read_machine_xml(const std::string& path);
/// The machine's topology as hwloc XML text, for the result file.
std::string machine_xml();

}  // namespace scalemark::topology
