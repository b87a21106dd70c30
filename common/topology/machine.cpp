// SPDX-License-Identifier: Apache-2.0
// Reading a node with hwloc.
#include "common/topology/machine.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <hwloc.h>
#include <sched.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark::topology {
namespace {

constexpr unsigned short kNvidia = 0x10de;

struct TopologyDeleter {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, TopologyDeleter>;

Topology load(const char* xml_path) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw Error("hwloc_topology_init failed");
  Topology topology(raw);
  // Without this filter there are no PCI devices.
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
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
  if (!bitmap || hwloc_bitmap_weight(bitmap) < 0) return cpus;  // infinite: nothing to list
  for (int cpu = hwloc_bitmap_first(bitmap); cpu >= 0; cpu = hwloc_bitmap_next(bitmap, cpu))
    cpus.push_back(cpu);
  return cpus;
}

std::string info_of(hwloc_obj_t object, const char* name) {
  const char* value = object ? hwloc_obj_get_info_by_name(object, name) : nullptr;
  return value ? text::printable(value, 200) : "";
}

/// OS index of the first NUMA node of an object; -1 if it has none.
int numa_of(hwloc_obj_t object) {
  return object && object->nodeset ? hwloc_bitmap_first(object->nodeset) : -1;
}

int package_of(hwloc_topology_t topology, hwloc_obj_t object) {
  hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, object);
  return package ? static_cast<int>(package->logical_index) : 0;
}

void read_cores(hwloc_topology_t topology, Machine& machine) {
  for (hwloc_obj_t core = nullptr;
       (core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)) != nullptr;) {
    machine.cores.push_back({static_cast<int>(core->logical_index), package_of(topology, core),
                             numa_of(core), to_cpus(core->cpuset)});
  }
  for (hwloc_obj_t node = nullptr;
       (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr;) {
    NumaNode one;
    one.index = static_cast<int>(node->os_index);
    one.memory_bytes = node->attr->numanode.local_memory;
    one.cpus = to_cpus(node->cpuset);
    for (const Core& core : machine.cores) {
      if (core.numa == one.index) one.package = core.package;
    }
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

/// GPUs: display controllers (class 03xx) of NVIDIA; the domain is part of the identity (GH200).
void read_devices(hwloc_topology_t topology, Machine& machine) {
  for (hwloc_obj_t device = nullptr;
       (device = hwloc_get_next_pcidev(topology, device)) != nullptr;) {
    const auto& pci = device->attr->pcidev;
    hwloc_obj_t host = hwloc_get_non_io_ancestor_obj(topology, device);
    const std::string address =
        fmt::format("{:04x}:{:02x}:{:02x}.{:x}", pci.domain, pci.bus, pci.dev, pci.func);
    if ((pci.class_id >> 8) == 0x03 && pci.vendor_id == kNvidia) {
      Gpu gpu;
      gpu.pci_bus_id = address;
      gpu.numa = numa_of(host);
      gpu.name = info_of(device, "PCIDevice");
      for (hwloc_obj_t child = device->io_first_child; child; child = child->next_sibling) {
        if (const std::string model = info_of(child, "GPUModel"); !model.empty()) gpu.name = model;
        if (const std::string uuid = info_of(child, "NVIDIAUUID"); !uuid.empty()) gpu.uuid = uuid;
      }
      machine.gpus.push_back(std::move(gpu));
    }
    for (hwloc_obj_t child = device->io_first_child; child; child = child->next_sibling) {
      const auto type = child->attr->osdev.type;
      if (child->type == HWLOC_OBJ_OS_DEVICE &&
          (type == HWLOC_OBJ_OSDEV_OPENFABRICS || type == HWLOC_OBJ_OSDEV_NETWORK) && child->name) {
        machine.nics.push_back({text::printable(child->name, 80), address, numa_of(host)});
      }
    }
  }
  std::ranges::sort(machine.gpus, {}, &Gpu::pci_bus_id);
  for (std::size_t i = 0; i < machine.gpus.size(); ++i) machine.gpus[i].index = static_cast<int>(i);
}

/// What the kernel lets this process use, unless hwloc was given another machine (HWLOC_XMLFILE).
CpuSet allowed_cpus(hwloc_topology_t topology) {
  CpuSet allowed = to_cpus(hwloc_topology_get_allowed_cpuset(topology));
  if (!hwloc_topology_is_thissystem(topology)) return allowed;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) {
    std::erase_if(allowed, [&](int cpu) {
      return cpu < CPU_SETSIZE && !CPU_ISSET(static_cast<std::size_t>(cpu), &mask);
    });
  }
  return allowed;
}

Machine snapshot(hwloc_topology_t topology) {
  Machine machine;
  machine.cpu_model = info_of(hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0), "CPUModel");
  read_cores(topology, machine);
  read_distances(topology, machine);
  read_devices(topology, machine);
  machine.allowed = allowed_cpus(topology);
  return machine;
}

}  // namespace

Machine read_machine() { return snapshot(load(nullptr).get()); }

Machine read_machine_xml(const std::string& path) {
  const Topology topology = load(path.c_str());
  Machine machine = snapshot(topology.get());
  machine.allowed = to_cpus(hwloc_topology_get_topology_cpuset(topology.get()));
  return machine;
}

std::string machine_xml() {
  const Topology topology = load(nullptr);
  char* text = nullptr;
  int length = 0;
  if (hwloc_topology_export_xmlbuffer(topology.get(), &text, &length, 0) != 0) return "";
  std::string result(text, static_cast<std::size_t>(length > 0 ? length - 1 : 0));
  hwloc_free_xmlbuffer(topology.get(), text);
  return result;
}

}  // namespace scalemark::topology
