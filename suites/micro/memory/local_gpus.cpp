// SPDX-License-Identifier: Apache-2.0
// The GPUs of one process, their pairs, and access between them.
#include "suites/micro/memory/local_gpus.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "suites/micro/data/rank_values.hpp"

namespace scalemark::micro {

LocalGpus::LocalGpus(Case& c) : own_(c.hardware().gpu()) {
  const int count = device::cuda_device_count();
  if (count < 2) c.skip(fmt::format("needs two GPUs in one process, {} is visible", count));
  for (int index = 0; index < count; ++index) devices_.push_back(device::make_cuda_device(index));
}

std::vector<GpuPair> all_gpu_pairs(std::size_t gpus) {
  std::vector<GpuPair> pairs;
  for (std::size_t from = 0; from < gpus; ++from) {
    for (std::size_t to = 0; to < gpus; ++to) {
      if (from != to) pairs.emplace_back(from, to);
    }
  }
  return pairs;
}

std::vector<std::unique_ptr<device::PeerAccess>> enable_access(const Case& c, const LocalGpus& gpus,
                                                               const std::vector<GpuPair>& pairs) {
  std::vector<std::unique_ptr<device::PeerAccess>> all;
  std::vector<GpuPair> enabled;
  for (const auto& [from, to] : pairs) {
    for (const GpuPair& one : {GpuPair{from, to}, GpuPair{to, from}}) {
      if (std::ranges::count(enabled, one) > 0) continue;
      enabled.push_back(one);
      const device::Device &device = gpus[one.first], &peer = gpus[one.second];
      if (!device::can_access_peer(device, peer))
        c.skip(fmt::format("GPU {} cannot access the memory of GPU {}", one.first, one.second));
      all.push_back(device::enable_peer_access(device, peer));
    }
  }
  return all;
}

Table pair_table(const LocalGpus& gpus, const std::vector<GpuPair>& pairs) {
  std::vector<std::uint64_t> from, to;
  std::vector<std::string> from_pci, to_pci;
  for (const auto& [a, b] : pairs) {
    from.push_back(a);
    to.push_back(b);
    from_pci.push_back(gpus[a].pci_bus_id());
    to_pci.push_back(gpus[b].pci_bus_id());
  }
  return {.columns = {{"from_gpu", "", std::move(from)},
                      {"to_gpu", "", std::move(to)},
                      {"from_pci", "", std::move(from_pci)},
                      {"to_pci", "", std::move(to_pci)}}};
}

std::uint64_t PairSamples::pass(const std::function<std::uint64_t(std::size_t pair)>& time) {
  std::uint64_t slowest = 0;
  for (std::size_t pair = 0; pair < taken_.size(); ++pair) {
    taken_[pair].push_back(time(pair));
    slowest = std::max(slowest, taken_[pair].back());
  }
  return slowest;
}

std::vector<double> PairSamples::medians(std::size_t passes, std::uint64_t operations) const {
  std::vector<double> seconds;
  for (const std::vector<std::uint64_t>& one : taken_) {
    const double ns = median_ns({one.end() - static_cast<std::ptrdiff_t>(passes), one.end()});
    seconds.push_back(ns * 1e-9 / static_cast<double>(operations));
  }
  return seconds;
}

}  // namespace scalemark::micro
