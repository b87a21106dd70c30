// SPDX-License-Identifier: Apache-2.0
// One node as plain data: what hwloc, the kernel and (where present) NVML and CUDA say of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace scalemark::hardware {

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
  int numa = -1;                   ///< OS index of the nearest NUMA node with cores; -1 unknown
  std::uint64_t memory_bytes = 0;  ///< 0 if unknown
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
  /// False when the description comes from a file (HWLOC_XMLFILE too): nothing can be bound then.
  bool this_system = true;
  std::string driver_version;  ///< of the GPUs, from NVML; empty if unknown
  /// Why NVML gave no GPUs, so that PCI alone stands in `gpus`; empty if it did.
  std::string nvml_problem;
  /// Distances between NUMA nodes [i][j] in the order of `numa`; empty if unknown.
  std::vector<std::vector<std::uint64_t>> distances;
};

/// OS index of the NUMA node that all of `cpus` belong to; -1 if there is none (or no CPU).
int numa_node_of(const Machine& machine, const CpuSet& cpus);

/// The machine that this process runs on, restricted by its cpuset and affinity at program start.
/// With HWLOC_XMLFILE, hwloc shows that file's machine instead: all of it is allowed, and
/// `this_system` is false. Where NVML answers, `gpus` are those that it names (what the container
/// or the batch system lets this process use), else all of NVIDIA's display controllers on PCI.
Machine read_machine();
/// A machine from an hwloc XML file; everything in it is allowed. Throws InputError.
Machine read_machine_xml(const std::string& path);
/// The machine's topology as hwloc XML text, for the result file.
std::string machine_xml();

}  // namespace scalemark::hardware
