// SPDX-License-Identifier: Apache-2.0
// Bringing together what the ranks of a node may use.
#include "common/core/environment/node_view.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "common/mpi/typed.hpp"

namespace scalemark {
namespace {

/// A GPU as ranks send it: PCI address, UUID, name, NUMA node, bytes of memory.
using SentGpu = std::tuple<std::string, std::string, std::string, int, std::uint64_t>;

/// What a rank sends: its CPUs, its GPUs, and the addresses of the visible ones.
using SentView = std::tuple<hardware::CpuSet, std::vector<SentGpu>, std::vector<std::string>>;

hardware::Gpu gpu_of(const SentGpu& sent) {
  hardware::Gpu gpu;
  std::tie(gpu.pci_bus_id, gpu.uuid, gpu.name, gpu.numa, gpu.memory_bytes) = sent;
  return gpu;
}

SentView describe(const hardware::Machine& mine,
                  const std::optional<std::string>& cuda_visible_devices, std::string& problem) {
  SentView sent{mine.allowed, {}, {}};
  auto& [allowed, gpus, visible] = sent;
  for (const hardware::Gpu& gpu : mine.gpus)
    gpus.emplace_back(gpu.pci_bus_id, gpu.uuid, gpu.name, gpu.numa, gpu.memory_bytes);
  for (const int index : hardware::visible_gpus(mine, cuda_visible_devices, &problem))
    visible.push_back(mine.gpus[static_cast<std::size_t>(index)].pci_bus_id);
  return sent;
}

}  // namespace

NodeView share_view(const mpi::Comm& node, const hardware::Machine& mine,
                    const std::optional<std::string>& cuda_visible_devices) {
  NodeView view{.machine = mine, .request = {}, .problem = {}};
  const std::vector<SentView> sent =
      mpi::all_gather(node, describe(mine, cuda_visible_devices, view.problem));
  std::set<int> cpus;
  std::map<std::string, hardware::Gpu> gpus;  // by address: the order in which they are numbered
  for (const auto& [allowed, listed, visible] : sent) {
    cpus.insert(allowed.begin(), allowed.end());
    for (const SentGpu& gpu : listed) gpus.emplace(std::get<0>(gpu), gpu_of(gpu));
  }
  view.machine.allowed.assign(cpus.begin(), cpus.end());
  view.machine.gpus.clear();
  std::map<std::string, int> index_of;
  for (auto& [address, gpu] : gpus) {
    gpu.index = static_cast<int>(view.machine.gpus.size());
    index_of[address] = gpu.index;
    view.machine.gpus.push_back(gpu);
  }
  view.request.local_ranks = node.size();
  for (const auto& [allowed, listed, visible] : sent) {
    std::vector<int>& indices = view.request.visible_by_rank.emplace_back();
    for (const std::string& address : visible) indices.push_back(index_of.at(address));
  }
  return view;
}

namespace {

bool overlap(const hardware::CpuSet& one, const hardware::CpuSet& other) {
  return std::ranges::any_of(one, [&](int cpu) { return std::ranges::binary_search(other, cpu); });
}

}  // namespace

int core_sharers(const mpi::Comm& node, const hardware::CpuSet& cpus) {
  int sharers = 0;
  for (const hardware::CpuSet& other : mpi::all_gather(node, cpus)) {
    if (other.empty() || overlap(other, cpus)) ++sharers;
  }
  return std::max(1, sharers);
}

std::vector<hardware::CpuSet> cores_in(const hardware::Machine& machine,
                                       const hardware::CpuSet& cpus) {
  std::vector<hardware::CpuSet> cores;
  for (const hardware::Core& core : machine.cores) {
    hardware::CpuSet mine;
    std::ranges::set_intersection(core.cpus, cpus, std::back_inserter(mine));
    if (!mine.empty()) cores.push_back(std::move(mine));
  }
  return cores;
}

int cores_of_rank(const mpi::Comm& node, const hardware::Machine& machine,
                  const hardware::CpuSet& cpus) {
  const auto cores = static_cast<int>(cores_in(machine, cpus).size());
  return std::max(1, cores / core_sharers(node, cpus));
}

}  // namespace scalemark
