// SPDX-License-Identifier: Apache-2.0
// Choosing the peak that limits a case, and its fraction.
#include "common/core/peaks/peak_lookup.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/core/case/work.hpp"
#include "common/core/exchange.hpp"
#include "common/core/session.hpp"

namespace scalemark {
namespace {

/// A peak given by the user takes precedence.
Peak given_or(const std::optional<Peak>& given, const Peak& found) { return given.value_or(found); }

bool is_network(LinkKind kind) { return kind == LinkKind::network || kind == LinkKind::sockets; }

bool is_memory(LinkKind kind) {
  return kind == LinkKind::host_memory || kind == LinkKind::gpu_memory;
}

}  // namespace

Peak PeakLookup::agreed_peak(Peak mine) const {
  // Positive numbers and their bits have the same order.
  const auto rate = std::bit_cast<std::int64_t>(mine.value);
  const std::int64_t least = context_.ranks().min(rate), most = context_.ranks().max(rate);
  if (least == most || rate == 0) return mine;
  return hardware::unknown_peak(least == 0 ? "not known for every rank"
                                           : "not the same for every rank");
}

std::optional<double> PeakLookup::flops(const std::string& precision, int devices) {
  Session& session = context_.session;
  const Peaks& peaks = session.options().peaks;
  const Peak peak = agreed_peak(hardware_.is_on_gpu()
                                    ? peaks.gpu_flops(hardware_.device().name(), precision)
                                    : peaks.cpu_flops(hardware_.threads(), precision,
                                                      session.found_peaks().core_flops(precision)));
  if (!peak.is_known()) {
    recorder_.fact("peak_missing", peak.missing);
    return std::nullopt;
  }
  const double whole = peak.value * devices;
  recorder_.fact("peak_flops", whole);
  recorder_.fact("peak_source", peak.source);
  return whole;
}

void PeakLookup::record_flops(const std::string& source, double done, const std::string& precision,
                              const std::string& formula, int devices) {
  recorder_.record_rate("achieved_flops", "flop/s", source, done, formula);
  if (const std::optional<double> peak = flops(precision, devices)) {
    recorder_.record_rate("peak_fraction", "1", source, done / *peak,
                          "achieved_flops / peak_flops");
  }
}

Peak PeakLookup::own_memory_peak(const Work& work) {
  Session& session = context_.session;
  const int rank_node = work.memory_node >= 0 ? work.memory_node : hardware_.numa_node();
  const int numa = context_.ranks().min(rank_node) < 0 ? -1 : rank_node;
  const std::string place = fmt::format("{} {}", session.node_of(session.world().rank()), numa);
  const std::vector<std::string> places = context_.ranks().all_gather(place);
  const auto sharers = std::ranges::count(places, place);
  const Peaks& peaks = session.options().peaks;
  const std::optional<Peak> given = peaks.memory("host");
  const hardware::HostMemory host =
      given ? hardware::HostMemory{*given} : session.found_peaks().host_memory();
  Peak peak = numa < 0 ? host.peak
                       : given_or(peaks.memory("numa_node"),
                                  hardware::numa_memory_peak(host, session.machine()));
  if (peak.is_known() && sharers > 1 && !work.in_turn) {
    peak.value /= static_cast<double>(sharers);
    peak.source += fmt::format(", shared by {} ranks", sharers);
  }
  return peak;
}

Peak PeakLookup::own_link_peak(LinkKind kind, const Work& work, std::span<const std::string> gpus) {
  Session& session = context_.session;
  const Peaks& peaks = session.options().peaks;
  FoundPeaks& found = session.found_peaks();
  if (is_network(kind))
    return given_or(peaks.link("network"), found.network(kind == LinkKind::sockets));
  if (context_.ranks().size() > 1 && session.gpu_sharers() > 1 && !work.in_turn)
    return hardware::unknown_peak(kind == LinkKind::gpu_memory ? "ranks share a GPU and its memory"
                                                               : "ranks share a GPU and its link");
  const device::Device& gpu = session.gpu();
  if (kind == LinkKind::gpu_memory)
    return given_or(peaks.memory("gpu"), found.gpu_memory(gpu.name(), gpu.pci_bus_id()));
  hardware::GpuLinks links = found.gpu_links(gpu.pci_bus_id());
  if (kind == LinkKind::gpu_to_host) return given_or(peaks.link("pcie"), links.host);
  const std::optional<Peak> nvlink = peaks.link("nvlink");
  if (nvlink && links.nvlinks != 0) return *nvlink;
  links.pcie = given_or(peaks.link("pcie"), links.pcie);
  return hardware::gpu_peer_peak(links, gpus);
}

Peak PeakLookup::link_peak(LinkKind kind, const Work& work) {
  std::vector<std::string> gpus;
  if (kind == LinkKind::gpu_to_gpu)
    gpus = context_.ranks().all_gather(context_.session.gpu().pci_bus_id());
  Peak mine =
      kind == LinkKind::host_memory ? own_memory_peak(work) : own_link_peak(kind, work, gpus);
  throw_if_peer_failed(context_.ranks());
  return agreed_peak(std::move(mine));
}

LinkChoice PeakLookup::choose(const Work& work) const {
  LinkUse use{.carrier = work.carrier, .ranks = context_.ranks().size()};
  const std::vector<int> nodes = ends(LinkKind::network);
  use.nodes = static_cast<int>(std::set<int>(nodes.begin(), nodes.end()).size());
  if (context_.has("backend")) use.backend = context_.text("backend");
  use.on_gpu = hardware_.is_on_gpu();
  return choose_link(use);
}

std::vector<int> PeakLookup::ends(LinkKind kind) const {
  std::vector<int> ends;
  for (const int rank : context_.group.world_ranks) ends.push_back(context_.session.node_of(rank));
  if (!is_network(kind)) std::iota(ends.begin(), ends.end(), 0);
  return ends;
}

void PeakLookup::record_link_fraction(const std::string& duration, const Work& work) {
  const LinkChoice choice = choose(work);
  if (choice.kind == LinkKind::none) {
    // A reason that the benchmark itself has stored is more precise.
    context_.result.facts.try_emplace("peak_missing", choice.missing);
    return;
  }
  const double moved = is_memory(choice.kind) && work.moved > 0 ? work.moved : work.bytes;
  const double carried = work.link_bytes ? work.link_bytes(ends(choice.kind)) : moved;
  if (std::isnan(carried)) {
    return recorder_.fact("peak_missing", std::string("the nodes have different numbers of ranks"));
  }
  if (carried <= 0)
    return recorder_.fact("peak_missing", std::string("no link: nothing leaves a node"));
  const Peak peak = link_peak(choice.kind, work);
  if (!peak.is_known()) return recorder_.fact("peak_missing", peak.missing);
  const bool bus = work.bus_factor > 0;
  const std::string bandwidth = bus ? "bus_bandwidth" : "bandwidth";
  const double counted = work.bytes * (bus ? work.bus_factor : 1);
  // A rate is numerator / time: here, the shortest possible time over the measured one.
  recorder_.record_rate("peak_fraction", "1", duration, carried / peak.value,
                        fmt::format("{0} / peak_{0}", bandwidth));
  // Rounded, so that sizes with the same peak show the same number.
  recorder_.fact("peak_" + bandwidth, std::round(peak.value * (counted / carried)));
  recorder_.fact("peak_source", peak.source);
}

}  // namespace scalemark
