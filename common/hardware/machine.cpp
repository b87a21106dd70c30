// SPDX-License-Identifier: Apache-2.0
// Reads a node's description with hwloc.
#include "common/hardware/machine.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <hwloc.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/hardware/nvml.hpp"

namespace scalemark::hardware {
namespace {

constexpr unsigned short kNvidia = 0x10de;

struct TopologyDeleter {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, TopologyDeleter>;

struct BitmapDeleter {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, BitmapDeleter>;

Topology load(const char* xml_path) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw Error("hwloc_topology_init failed");
  Topology topology(raw);
  // hwloc leaves out PCI devices by default.
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  // Load the whole machine, not only the cpuset. Otherwise a GPU beside a NUMA node outside the
  // cpuset would seem to be near all nodes. allowed_cpus() reads the cpuset separately.
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (xml_path && hwloc_topology_set_xml(raw, xml_path) != 0) {
    throw InputError(fmt::format("{}: no hwloc XML file", text::printable(xml_path)));
  }
  if (hwloc_topology_load(raw) != 0) {
    throw InputError(fmt::format("{}: hwloc cannot load this topology",
                                 xml_path ? text::printable(xml_path) : "this machine"));
  }
  return topology;
}

CpuSet to_cpus(hwloc_const_bitmap_t bitmap) {
  CpuSet cpus;
  if (!bitmap || hwloc_bitmap_weight(bitmap) < 0) return cpus;  // infinite set: cannot be listed
  for (int cpu = hwloc_bitmap_first(bitmap); cpu >= 0; cpu = hwloc_bitmap_next(bitmap, cpu))
    cpus.push_back(cpu);
  return cpus;
}

std::string info_of(hwloc_obj_t object, const char* name) {
  const char* value = object ? hwloc_obj_get_info_by_name(object, name) : nullptr;
  return value ? text::printable(value, 200) : "";
}

/// OS index of an object's NUMA node, or of the first of several nodes. Several nodes mean two
/// kinds of memory beside the same cores, or a device attached to a package with several nodes. The
/// result is -1 if the object belongs to the whole of a machine with several nodes: its position is
/// then unknown.
int numa_of(hwloc_topology_t topology, hwloc_obj_t object) {
  if (!object || !object->nodeset || hwloc_bitmap_iszero(object->nodeset)) return -1;
  const hwloc_obj_t machine = hwloc_get_root_obj(topology);
  if (object == machine && hwloc_bitmap_weight(object->nodeset) > 1) return -1;
  return hwloc_bitmap_first(object->nodeset);
}

int package_of(hwloc_topology_t topology, hwloc_obj_t object) {
  hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, object);
  return package ? static_cast<int>(package->logical_index) : 0;
}

void read_cores(hwloc_topology_t topology, Machine& machine) {
  // Some virtual machines report hardware threads but no cores.
  const bool has_cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0;
  const hwloc_obj_type_t type = has_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  for (hwloc_obj_t core = nullptr;
       (core = hwloc_get_next_obj_by_type(topology, type, core)) != nullptr;) {
    machine.cores.push_back({static_cast<int>(core->logical_index), package_of(topology, core),
                             numa_of(topology, core), to_cpus(core->cpuset)});
  }
}

/// Leaves out NUMA nodes without CPUs, such as a GPU's own memory: no rank can run there.
void read_nodes(hwloc_topology_t topology, Machine& machine) {
  for (hwloc_obj_t node = nullptr;
       (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr;) {
    NumaNode one;
    one.index = static_cast<int>(node->os_index);
    one.package = package_of(topology, node);
    one.memory_bytes = node->attr->numanode.local_memory;
    one.cpus = to_cpus(node->cpuset);
    if (!one.cpus.empty()) machine.numa.push_back(std::move(one));
  }
}

void read_distances(hwloc_topology_t topology, Machine& machine) {
  unsigned count = 1;
  hwloc_distances_s* found = nullptr;
  if (hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &count, &found,
                                  HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
      count < 1 || !found)
    return;
  const auto at = [&](int index) {
    for (unsigned i = 0; i < found->nbobjs; ++i) {
      if (found->objs[i] && static_cast<int>(found->objs[i]->os_index) == index)
        return static_cast<int>(i);
    }
    return -1;
  };
  std::vector<std::vector<std::uint64_t>> distances;
  for (const NumaNode& from : machine.numa) {
    std::vector<std::uint64_t> row;
    for (const NumaNode& to : machine.numa) {
      const int i = at(from.index), j = at(to.index);
      if (i >= 0 && j >= 0)
        row.push_back(
            found->values[static_cast<unsigned>(i) * found->nbobjs + static_cast<unsigned>(j)]);
    }
    if (row.size() == machine.numa.size()) distances.push_back(std::move(row));
  }
  if (distances.size() == machine.numa.size()) machine.distances = std::move(distances);
  hwloc_distances_release(topology, found);
}

std::string pci_address(hwloc_obj_t device) {
  const auto& pci = device->attr->pcidev;
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", pci.domain, pci.bus, pci.dev, pci.func);
}

/// Gpu::bridges: a bridge's name is that of the buses behind it.
std::vector<std::string> bridges_above(hwloc_obj_t device) {
  std::vector<std::string> bridges;
  for (hwloc_obj_t up = device->parent; up != nullptr; up = up->parent) {
    if (up->type != HWLOC_OBJ_BRIDGE) continue;
    const auto& behind = up->attr->bridge.downstream.pci;
    bridges.insert(bridges.begin(), fmt::format("{:04x}:{:02x}-{:02x}", behind.domain,
                                                behind.secondary_bus, behind.subordinate_bus));
  }
  return bridges;
}

/// The PCI address includes the domain: GPUs of GH200 modules differ in nothing else.
Gpu read_gpu(hwloc_topology_t topology, hwloc_obj_t device) {
  Gpu gpu;
  gpu.pci_bus_id = pci_address(device);
  gpu.numa = numa_of(topology, hwloc_get_non_io_ancestor_obj(topology, device));
  gpu.bridges = bridges_above(device);
  gpu.name = info_of(device, "PCIDevice");
  for (hwloc_obj_t child = device->io_first_child; child; child = child->next_sibling) {
    if (const std::string model = info_of(child, "GPUModel"); !model.empty()) gpu.name = model;
    if (const std::string uuid = info_of(child, "NVIDIAUUID"); !uuid.empty()) gpu.uuid = uuid;
    const auto kib = text::parse_integer(info_of(child, "CUDAGlobalMemorySize"));
    if (kib && *kib > 0 && *kib < (std::int64_t{1} << 50))
      gpu.memory_bytes = static_cast<std::uint64_t>(*kib) * 1024;
  }
  return gpu;
}

void read_nics(hwloc_topology_t topology, hwloc_obj_t device, Machine& machine) {
  for (hwloc_obj_t child = device->io_first_child; child; child = child->next_sibling) {
    if (child->type != HWLOC_OBJ_OS_DEVICE || !child->name) continue;
    const auto type = child->attr->osdev.type;
    if (type != HWLOC_OBJ_OSDEV_OPENFABRICS && type != HWLOC_OBJ_OSDEV_NETWORK) continue;
    machine.nics.push_back(
        {.name = text::printable(child->name, 80),
         .pci_bus_id = pci_address(device),
         .numa = numa_of(topology, hwloc_get_non_io_ancestor_obj(topology, device)),
         .is_rdma = type == HWLOC_OBJ_OSDEV_OPENFABRICS,
         .bridges = bridges_above(device)});
  }
}

/// Adds GPUs (NVIDIA devices of PCI class 03xx, display controllers) and network adapters.
void read_devices(hwloc_topology_t topology, Machine& machine) {
  for (hwloc_obj_t device = nullptr;
       (device = hwloc_get_next_pcidev(topology, device)) != nullptr;) {
    const auto& pci = device->attr->pcidev;
    if ((pci.class_id >> 8) == 0x03 && pci.vendor_id == kNvidia)
      machine.gpus.push_back(read_gpu(topology, device));
    read_nics(topology, device, machine);
  }
  std::ranges::sort(machine.gpus, {}, &Gpu::pci_bus_id);
  for (std::size_t i = 0; i < machine.gpus.size(); ++i) machine.gpus[i].index = static_cast<int>(i);
  std::ranges::sort(machine.nics, {},
                    [](const Nic& nic) { return std::pair(nic.pci_bus_id, nic.name); });
}

/// CPUs that the kernel lets this process use; all CPUs if hwloc describes another machine
/// (HWLOC_XMLFILE).
CpuSet allowed_cpus(hwloc_topology_t topology) {
  if (!hwloc_topology_is_thissystem(topology))
    return to_cpus(hwloc_topology_get_topology_cpuset(topology));
  const Bitmap allowed(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology)));
  const Bitmap bound(hwloc_bitmap_alloc());
  if (allowed && bound && hwloc_get_cpubind(topology, bound.get(), HWLOC_CPUBIND_THREAD) == 0 &&
      hwloc_bitmap_intersects(allowed.get(), bound.get()))
    hwloc_bitmap_and(allowed.get(), allowed.get(), bound.get());
  return to_cpus(allowed.get());
}

Machine snapshot(hwloc_topology_t topology) {
  Machine machine;
  machine.cpu_model = info_of(hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0), "CPUModel");
  machine.this_system = hwloc_topology_is_thissystem(topology) != 0;
  read_cores(topology, machine);
  read_nodes(topology, machine);
  read_distances(topology, machine);
  read_devices(topology, machine);
  machine.allowed = allowed_cpus(topology);
  return machine;
}

}  // namespace

Machine read_machine() {
  Machine machine = snapshot(load(nullptr).get());
  if (machine.this_system) {
    add_nvml(machine, read_nvml());
  } else {
    machine.nvml_problem = "NVML describes this machine only, but the topology comes from a file";
  }
  return machine;
}

Machine read_machine_xml(const std::string& path) {
  const Topology topology = load(path.c_str());
  Machine machine = snapshot(topology.get());
  // HWLOC_THISSYSTEM can make hwloc claim that a file describes this machine.
  machine.this_system = false;
  machine.allowed = to_cpus(hwloc_topology_get_topology_cpuset(topology.get()));
  return machine;
}

std::string machine_xml() {
  const Topology topology = load(nullptr);
  char* xml = nullptr;
  int length = 0;
  if (hwloc_topology_export_xmlbuffer(topology.get(), &xml, &length, 0) != 0)
    throw Error("hwloc cannot write this machine's topology as XML");
  std::string result(xml, static_cast<std::size_t>(length > 0 ? length - 1 : 0));
  hwloc_free_xmlbuffer(topology.get(), xml);
  return result;
}

}  // namespace scalemark::hardware
