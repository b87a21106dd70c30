// SPDX-License-Identifier: Apache-2.0
// What part of a peak a case reached: of its processor, of a link, or of memory.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/core/case.hpp"
#include "common/core/session.hpp"

namespace scalemark {
namespace {

/// What the user says comes first.
Peak given_or(const std::optional<Peak>& given, const Peak& found) { return given.value_or(found); }

bool is_network(LinkKind kind) { return kind == LinkKind::network || kind == LinkKind::sockets; }

bool is_memory(LinkKind kind) {
  return kind == LinkKind::host_memory || kind == LinkKind::gpu_memory;
}

}  // namespace

void Case::work(const Work& work) {
  work_ = work;
  const bool is_copy = work.carrier != Carrier::unstated && work.carrier != Carrier::between_ranks;
  const double moved = work.moved > 0 ? work.moved : is_copy ? work.bytes : 0;
  if (moved > 0) fact("moved_bytes", static_cast<std::int64_t>(moved));
}

Peak Case::agreed_peak(Peak mine) const {
  // The bits of positive numbers are in the order of the numbers.
  const auto rate = std::bit_cast<std::int64_t>(mine.value);
  const std::int64_t least = ranks_.min(rate), most = ranks_.max(rate);
  if (least == most || rate == 0) return mine;
  return hardware::unknown_peak(least == 0 ? "not known for every rank"
                                           : "not the same for every rank");
}

std::optional<double> Case::peak_flops(const std::string& precision, int devices) {
  const Peaks& peaks = session_.options().peaks;
  const bool on_gpu = device().kind() == device::DeviceKind::cuda;
  const Peak peak = agreed_peak(
      on_gpu ? peaks.gpu_flops(device().name(), precision)
             : peaks.cpu_flops(threads(), precision, session_.found_peaks().core_flops(precision)));
  if (!peak.is_known()) {
    fact("peak_missing", peak.missing);
    return std::nullopt;
  }
  const double whole = peak.value * devices;
  fact("peak_flops", whole);
  fact("peak_source", peak.source);
  return whole;
}

void Case::record_flops(const std::string& source, double flops, const std::string& precision,
                        const std::string& formula, int devices) {
  record_rate("achieved_flops", "flop/s", source, flops, formula);
  if (const std::optional<double> peak = peak_flops(precision, devices))
    record_rate("peak_fraction", "1", source, flops / *peak, "achieved_flops / peak_flops");
}

Peak Case::own_memory_peak() {
  const int rank_node = work_.memory_node >= 0 ? work_.memory_node : numa_node();
  const int numa = ranks_.min(rank_node) < 0 ? -1 : rank_node;
  const std::string place = fmt::format("{} {}", session_.node_of(session_.world().rank()), numa);
  const std::vector<std::string> places = ranks_.all_gather(place);
  const auto sharers = std::ranges::count(places, place);
  const Peaks& peaks = session_.options().peaks;
  const std::optional<Peak> given = peaks.memory("host");
  const hardware::HostMemory host =
      given ? hardware::HostMemory{*given} : session_.found_peaks().host_memory();
  Peak peak = numa < 0 ? host.peak
                       : given_or(peaks.memory("numa_node"),
                                  hardware::numa_memory_peak(host, session_.machine()));
  if (peak.is_known() && sharers > 1 && !work_.in_turn) {
    peak.value /= static_cast<double>(sharers);
    peak.source += fmt::format(", shared by {} ranks", sharers);
  }
  return peak;
}

Peak Case::own_link_peak(LinkKind kind, std::span<const std::string> gpus) {
  const Peaks& peaks = session_.options().peaks;
  FoundPeaks& found = session_.found_peaks();
  if (is_network(kind))
    return given_or(peaks.link("network"), found.network(kind == LinkKind::sockets));
  if (size() > 1 && session_.gpu_sharers() > 1 && !work_.in_turn)
    return hardware::unknown_peak(kind == LinkKind::gpu_memory ? "ranks share a GPU and its memory"
                                                               : "ranks share a GPU and its link");
  const device::Device& gpu = session_.gpu();
  if (kind == LinkKind::gpu_memory)
    return given_or(peaks.memory("gpu"), found.gpu_memory(gpu.name(), gpu.pci_bus_id()));
  hardware::GpuLinks links = found.gpu_links(gpu.pci_bus_id());
  if (kind == LinkKind::gpu_to_host) return given_or(peaks.link("pcie"), links.host);
  const std::optional<Peak> nvlink = peaks.link("nvlink");
  if (nvlink && links.nvlinks != 0) return *nvlink;
  links.pcie = given_or(peaks.link("pcie"), links.pcie);
  return hardware::gpu_peer_peak(links, gpus);
}

Peak Case::link_peak(LinkKind kind) {
  std::vector<std::string> gpus;
  if (kind == LinkKind::gpu_to_gpu) gpus = ranks_.all_gather(session_.gpu().pci_bus_id());
  Peak mine = kind == LinkKind::host_memory ? own_memory_peak() : own_link_peak(kind, gpus);
  checkpoint();
  return agreed_peak(std::move(mine));
}

void Case::add_link_metrics(const std::string& duration) {
  std::vector<int> ends;
  for (const int rank : group_.world_ranks) ends.push_back(session_.node_of(rank));
  LinkUse use{.carrier = work_.carrier, .ranks = size()};
  use.nodes = static_cast<int>(std::set<int>(ends.begin(), ends.end()).size());
  if (result_.params.contains("backend")) use.backend = text("backend");
  use.on_gpu = device().kind() == device::DeviceKind::cuda;
  const LinkChoice choice = choose_link(use);
  if (choice.kind == LinkKind::none) {
    result_.facts.try_emplace("peak_missing", choice.missing);  // the benchmark may know better
    return;
  }
  if (!is_network(choice.kind)) std::iota(ends.begin(), ends.end(), 0);
  const double moved = is_memory(choice.kind) && work_.moved > 0 ? work_.moved : work_.bytes;
  const double carried = work_.link_bytes ? work_.link_bytes(ends) : moved;
  if (std::isnan(carried))
    return fact("peak_missing", std::string("the nodes have different numbers of ranks"));
  if (carried <= 0) return fact("peak_missing", std::string("no link: nothing leaves a node"));
  const Peak peak = link_peak(choice.kind);
  if (!peak.is_known()) return fact("peak_missing", peak.missing);
  const bool bus = work_.bus_factor > 0;
  const std::string bandwidth = bus ? "bus_bandwidth" : "bandwidth";
  const double counted = work_.bytes * (bus ? work_.bus_factor : 1);
  // As a duration: the least in which the link can carry what it must.
  record_rate("peak_fraction", "1", duration, carried / peak.value,
              fmt::format("{0} / peak_{0}", bandwidth));
  // Whole numbers, so that rounding makes no difference between sizes.
  fact("peak_" + bandwidth, std::round(peak.value * (counted / carried)));
  fact("peak_source", peak.source);
}

}  // namespace scalemark
