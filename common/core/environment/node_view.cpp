// SPDX-License-Identifier: Apache-2.0
// Bringing together what the ranks of a node may use.
#include "common/core/environment/node_view.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <vector>

#include <nlohmann/json.hpp>

namespace scalemark {
namespace {

nlohmann::json describe(const hardware::Gpu& gpu) {
  return {{"pci", gpu.pci_bus_id},
          {"uuid", gpu.uuid},
          {"name", gpu.name},
          {"numa", gpu.numa},
          {"memory", gpu.memory_bytes}};
}

hardware::Gpu read_gpu(const nlohmann::json& row) {
  hardware::Gpu gpu;
  gpu.pci_bus_id = row["pci"];
  gpu.uuid = row["uuid"];
  gpu.name = row["name"];
  gpu.numa = row["numa"];
  gpu.memory_bytes = row["memory"];
  return gpu;
}

}  // namespace

NodeView share_view(const mpi::Comm& node, const hardware::Machine& mine,
                    const std::optional<std::string>& cuda_visible_devices) {
  NodeView view{.machine = mine, .request = {}, .problem = {}};
  nlohmann::json row = {{"cpus", hardware::to_list(mine.allowed)},
                        {"gpus", nlohmann::json::array()},
                        {"visible", nlohmann::json::array()}};
  for (const hardware::Gpu& gpu : mine.gpus) row["gpus"].push_back(describe(gpu));
  if (cuda_visible_devices) {
    for (const int index : hardware::visible_gpus(mine, *cuda_visible_devices, &view.problem))
      row["visible"].push_back(mine.gpus[static_cast<std::size_t>(index)].pci_bus_id);
  } else {
    for (const hardware::Gpu& gpu : mine.gpus) row["visible"].push_back(gpu.pci_bus_id);
  }

  std::set<int> cpus;
  std::map<std::string, hardware::Gpu> gpus;  // by address: the order in which they are numbered
  std::vector<nlohmann::json> rows;
  for (const std::string& text : node.all_gather(row.dump())) {
    rows.push_back(nlohmann::json::parse(text));
    const std::string list = rows.back()["cpus"];
    if (!list.empty()) {
      const hardware::CpuSet allowed = hardware::parse_list(list);
      cpus.insert(allowed.begin(), allowed.end());
    }
    for (const nlohmann::json& gpu : rows.back()["gpus"])
      gpus.emplace(gpu["pci"].get<std::string>(), read_gpu(gpu));
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
  for (const nlohmann::json& one : rows) {
    std::vector<int> visible;
    for (const nlohmann::json& address : one["visible"])
      visible.push_back(index_of.at(address.get<std::string>()));
    view.request.visible_by_rank.push_back(std::move(visible));
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
  for (const std::string& list : node.all_gather(hardware::to_list(cpus))) {
    if (list.empty() || overlap(hardware::parse_list(list), cpus)) ++sharers;
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
