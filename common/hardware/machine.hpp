// SPDX-License-Identifier: Apache-2.0
// Description of one node as plain data, from hwloc, the kernel, and NVML where available.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace scalemark::hardware {

/// OS indices of logical CPUs (hardware threads), sorted.
using CpuSet = std::vector<int>;

/// Converts between {0,1,2,3,8} and the kernel's list form "0-3,8". parse_list throws UsageError.
std::string to_list(const CpuSet& cpus);
CpuSet parse_list(const std::string& text);

/// A physical core.
struct Core {
  int index = 0;  ///< hwloc's logical index, counted over the machine
  int package = 0;
  int numa = 0;  ///< OS index of the NUMA node
  CpuSet cpus;   ///< its hardware threads, sorted
};

/// A NUMA node: its memory and its hardware threads.
struct NumaNode {
  int index = 0;  ///< OS index
  int package = 0;
  std::uint64_t memory_bytes = 0;
  CpuSet cpus;
};

/// A GPU of this node.
struct Gpu {
  /// CUDA's index with CUDA_DEVICE_ORDER=PCI_BUS_ID and without CUDA_VISIBLE_DEVICES
  int index = 0;
  std::string pci_bus_id;  ///< dddd:bb:dd.f, lower case
  std::string uuid;        ///< empty if unknown
  std::string name;
  int numa = -1;                   ///< OS index of the nearest NUMA node with cores; -1 if unknown
  std::uint64_t memory_bytes = 0;  ///< 0 if unknown
  /// Names of the PCI bridges from the CPU down to the GPU, the CPU's own (host bridge) first;
  /// empty if unknown.
  std::vector<std::string> bridges;
  /// UUIDs ("MIG-...") of the instances that a divided GPU (MIG) has; empty if it is not divided
  std::vector<std::string> instances;
};

/// A network interface of this node.
struct Nic {
  std::string name;
  std::string pci_bus_id;
  int numa = -1;
  bool is_rdma = false;              ///< InfiniBand, RoCE, Slingshot: a device of OpenFabrics
  std::vector<std::string> bridges;  ///< as Gpu::bridges
};

/// What is known of a node's hardware.
struct Machine {
  std::string cpu_model;
  std::vector<Core> cores;  ///< in hwloc's logical order: neighbours in the machine are adjacent
  std::vector<NumaNode> numa;
  std::vector<Gpu> gpus;  ///< sorted by PCI bus id
  std::vector<Nic> nics;
  CpuSet allowed;  ///< CPUs that this process may use (cpuset and affinity)
  /// False if the description comes from a file (also by HWLOC_XMLFILE): binding is then
  /// impossible.
  bool this_system = true;
  std::string driver_version;  ///< version of the NVIDIA driver, from NVML; empty if unknown
  /// Why NVML gave no GPUs, so that `gpus` lists what PCI shows; empty if NVML gave them.
  std::string nvml_problem;
  /// Relative latencies (10 = local) between NUMA nodes, [i][j] in the order of `numa`; empty if
  /// unknown.
  std::vector<std::vector<std::uint64_t>> distances;
};

/// OS index of the NUMA node that holds all of `cpus`; -1 if there is none or `cpus` is empty.
int numa_node_of(const Machine& machine, const CpuSet& cpus);

/// The machine that this process runs on; `allowed` is its cpuset and affinity at the time of the
/// call. With HWLOC_XMLFILE it is the machine of that file: all CPUs are allowed, and `this_system`
/// is false. If NVML answers, `gpus` are those that NVML lists: what the container or the batch
/// system lets this process use. Otherwise they are all NVIDIA display controllers on PCI. Throws
/// Error if hwloc fails.
Machine read_machine();
/// The machine of an hwloc XML file, with all CPUs allowed. Throws InputError.
Machine read_machine_xml(const std::string& path);
/// This machine's topology as hwloc XML text, for the result file. Throws Error if hwloc fails.
std::string machine_xml();

}  // namespace scalemark::hardware
