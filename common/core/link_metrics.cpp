// SPDX-License-Identifier: Apache-2.0
// What part of its link's peak a case reached.
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
topology::LinkPeak given_or(const std::optional<Peak>& given, const topology::LinkPeak& found) {
  return given ? topology::LinkPeak{given->value, given->source, {}} : found;
}

bool is_network(LinkKind kind) { return kind == LinkKind::network || kind == LinkKind::sockets; }

topology::LinkPeak no_peak(std::string reason) { return {0, {}, std::move(reason)}; }

}  // namespace

topology::LinkPeak Case::own_link_peak(LinkKind kind, std::span<const std::string> gpus) {
  const Peaks& peaks = session_.options().peaks;
  if (is_network(kind))
    return given_or(peaks.link("network"), session_.network_peak(kind == LinkKind::sockets));
  if (size() > 1 && session_.gpu_sharers() > 1) return no_peak("ranks share a GPU and its link");
  topology::GpuLinks links = session_.gpu_links();
  if (kind == LinkKind::gpu_to_host) return given_or(peaks.link("pcie"), links.host);
  const std::optional<Peak> nvlink = peaks.link("nvlink");
  if (nvlink && links.nvlinks != 0) return given_or(nvlink, {});
  links.pcie = given_or(peaks.link("pcie"), links.pcie);
  return topology::gpu_peer_peak(links, gpus);
}

topology::LinkPeak Case::link_peak(LinkKind kind) {
  std::vector<std::string> gpus;
  if (kind == LinkKind::gpu_to_gpu) gpus = ranks_.all_gather(session_.gpu().pci_bus_id());
  topology::LinkPeak mine = own_link_peak(kind, gpus);
  checkpoint();
  // The bits of positive numbers are in the order of the numbers.
  const auto rate = std::bit_cast<std::int64_t>(mine.bytes_per_s);
  const std::int64_t least = ranks_.min(rate), most = ranks_.max(rate);
  if (least == most || rate == 0) return mine;
  return no_peak(least == 0 ? "not known for every rank" : "not the same for every rank");
}

void Case::add_link_metrics(const std::string& duration) {
  std::vector<int> ends;
  for (const int rank : group_.world_ranks) ends.push_back(session_.node_of(rank));
  LinkUse use{.carrier = work_.carrier, .ranks = size()};
  use.nodes = static_cast<int>(std::set<int>(ends.begin(), ends.end()).size());
  if (result_.params.contains("backend")) use.backend = text("backend");
  use.on_gpu = device().kind() == device::DeviceKind::cuda;
  const LinkChoice choice = choose_link(use);
  if (choice.kind == LinkKind::none) return fact("peak_missing", choice.missing);
  if (!is_network(choice.kind)) std::iota(ends.begin(), ends.end(), 0);
  const double carried = work_.carrier == Carrier::between_ranks && work_.link_bytes
                             ? work_.link_bytes(ends)
                             : work_.bytes;
  if (std::isnan(carried))
    return fact("peak_missing", std::string("the nodes have different numbers of ranks"));
  if (carried <= 0) return fact("peak_missing", std::string("no link: nothing leaves a node"));
  const topology::LinkPeak peak = link_peak(choice.kind);
  if (peak.bytes_per_s <= 0) return fact("peak_missing", peak.missing);
  const bool bus = work_.bus_factor > 0;
  const std::string bandwidth = bus ? "bus_bandwidth" : "bandwidth";
  const double counted = work_.bytes * (bus ? work_.bus_factor : 1);
  // As a duration: the least in which the link can carry what it must.
  record_rate("peak_fraction", "1", duration, carried / peak.bytes_per_s,
              fmt::format("{0} / peak_{0}", bandwidth));
  // Whole numbers, so that rounding makes no difference between sizes.
  fact("peak_" + bandwidth, std::round(peak.bytes_per_s * (counted / carried)));
  fact("peak_source", peak.source);
}

}  // namespace scalemark
