// SPDX-License-Identifier: Apache-2.0
// Brings together what is said of each host.
#include "common/analysis/fleet_table.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/analysis/host_facts.hpp"
#include "common/analysis/screened_fleet.hpp"
#include "common/base/counted.hpp"
#include "common/fleet/host_names.hpp"
#include "common/result/places.hpp"

namespace scalemark::analysis {
namespace {

using fleet::NodeVerdict;

bool is_bad_cpu(const HostEvidence& one) {
  return one.verdict == NodeVerdict::bad && one.component == kCpu;
}

/// Cases that few hosts have measured say nothing where a host was judged by others.
void drop_untested(std::vector<HostEvidence>& evidence) {
  const auto is_untested = [](const HostEvidence& one) {
    return one.verdict == NodeVerdict::untested && one.component != kNetwork;
  };
  const bool is_judged = std::ranges::any_of(evidence, [&](const HostEvidence& one) {
    return one.component != kNetwork && !is_untested(one);
  });
  if (is_judged) std::erase_if(evidence, is_untested);
}

/// What decides comes first: the worse verdict, at the same one what delays the others, and then
/// the larger factor. A slow processor delays its memory and messages, and any part the network.
void sort_evidence(std::vector<HostEvidence>& evidence) {
  const bool has_bad_cpu = std::ranges::any_of(evidence, is_bad_cpu);
  std::ranges::stable_sort(evidence, {}, [&](const HostEvidence& one) {
    const bool is_delayed = one.component == kHostMemory || one.component == kMessages;
    return std::tuple(-fleet::severity(one.verdict), one.component == kNetwork,
                      has_bad_cpu && is_delayed, -one.factor);
  });
}

auto order_of_hosts(const HostVerdict& one) {
  return std::tuple(-fleet::severity(one.verdict()), -one.evidence.front().factor);
}

std::string times_as_long(double factor) {
  return fmt::format("{:.2f} times as long as the median", factor);
}

std::string reason_of(const LoneHost& one) {
  if (!one.reason.empty()) return one.reason;
  if (one.judged.verdict == NodeVerdict::untested) return "fewer than three hosts like it";
  if (one.baseline_runs > 0)
    return fmt::format("{:.2f} times as long as in the baseline of {}", one.judged.factor,
                       text::counted(one.baseline_runs, "run"));
  if (one.past > 0)
    return fmt::format("{:.2f} times as long as in {}, by comparison with the other hosts",
                       one.judged.factor, text::counted(one.past, "earlier run"));
  return times_as_long(one.judged.factor) + (one.at_times ? ", but not always" : "");
}

HostEvidence evidence_of(const LoneHost& one) {
  return {.verdict = one.judged.verdict,
          .component = one.component,
          .factor = one.judged.factor,
          .reason = reason_of(one),
          .key = one.key,
          .rank = one.rank,
          .device = one.device,
          .pairs = 0,
          .past = one.past,
          .baseline_runs = one.baseline_runs};
}

HostEvidence evidence_of(const std::string& key, std::size_t rank, const fleet::JudgedNode& node) {
  return {.verdict = node.verdict,
          .component = kNetwork,
          .factor = node.factor,
          .reason =
              fmt::format("{}, {}", times_as_long(node.factor), text::counted(node.pairs, "pair")),
          .key = key,
          .rank = rank,
          .device = {},
          .pairs = node.pairs,
          .past = 0};
}

/// "rail 3 (local rank 3 of each node)", "rails 1, 3 (local ranks 1, 3 of each node)", "all 8
/// rails": those of a host on which it is bad.
std::string rails_text(const std::set<std::size_t>& bad, std::size_t rails) {
  if (bad.size() == rails) return fmt::format("all {} rails", rails);
  return fmt::format("rail{0} {1} (local rank{0} {1} of each node)", bad.size() == 1 ? "" : "s",
                     fmt::join(bad, ", "));
}

/// GPU and network card of a rank, as far as they are known.
std::string device_of(const RankInfo& rank) {
  const std::string& gpu = gpu_of(rank);
  return gpu.empty() || rank.nic.empty() ? gpu + rank.nic : gpu + " " + rank.nic;
}

/// What no case says.
HostEvidence evidence_of(NodeVerdict verdict, const std::string& component,
                         const std::string& reason) {
  return {.verdict = verdict,
          .component = component,
          .factor = 1,
          .reason = reason,
          .key = {},
          .rank = 0,
          .device = {},
          .pairs = 0,
          .past = 0};
}

}  // namespace

std::size_t FleetTable::count(NodeVerdict verdict) const {
  return static_cast<std::size_t>(std::ranges::count(hosts, verdict, &HostVerdict::verdict));
}

bool FleetTable::has_fault() const {
  return count(NodeVerdict::bad) > 0 || !links.empty() || !uplinks.empty() ||
         !only_together.empty();
}

void FleetCases::add(const Run& run, const CaseResult& result) {
  sensors_.add(run, result);
  host_links_.add(run, result);
  const auto found = screened_fleet(result);
  if (!found) {
    if (scale_.add(run, result)) return;
    alone_.add(run, result);
    baseline_.add(run, result);
    return;
  }
  ++screenings_;
  add_ranks(run, result, *found);
  add_links(result.key, *found);
  if (!known_.switches.empty()) add_uplinks(result.key, *found);
}

void FleetCases::add_ranks(const Run& run, const CaseResult& result, const ScreenedFleet& found) {
  const std::vector<RankInfo> places = ranks_of_case(result, run.ranks);
  std::map<std::string, std::set<std::size_t>> bad;  // rails by host
  for (const ScreenedRank& one : found.ranks)
    if (one.judged.verdict == NodeVerdict::bad) bad[one.host].insert(one.rail);
  for (std::size_t rank = 0; rank < found.ranks.size(); ++rank) {
    const ScreenedRank& one = found.ranks[rank];
    HostEvidence evidence = evidence_of(result.key, rank, one.judged);
    if (found.rails > 1) {
      evidence.rail = one.rail;
      const bool is_bad = one.judged.verdict == NodeVerdict::bad;
      evidence.reason +=
          ", " + rails_text(is_bad ? bad[one.host] : std::set{one.rail}, found.rails);
      if (rank < places.size()) evidence.device = device_of(places[rank]);
    }
    network_[one.host].push_back(std::move(evidence));
  }
}

/// A pair of hosts that is slow on several rails is one link, as slow as the slowest of them.
void FleetCases::add_links(const std::string& key, const ScreenedFleet& found) {
  std::map<std::pair<std::string, std::string>, FleetLink> by_hosts;
  for (const fleet::SlowPair& pair : found.links) {
    const std::string &one = found.ranks[pair.nodes.a].host,
                      &other = found.ranks[pair.nodes.b].host;
    FleetLink& link = by_hosts[std::minmax(one, other)];
    link = {one, other, std::max(link.factor, pair.factor), link.measurements + pair.times, key};
  }
  for (auto& [hosts, link] : by_hosts) links_.push_back(std::move(link));
  std::ranges::stable_sort(links_, std::greater(), &FleetLink::factor);
}

void FleetCases::add_uplinks(const std::string& key, const ScreenedFleet& found) {
  std::vector<std::string> hosts;
  for (const ScreenedRank& rank : found.ranks) hosts.push_back(rank.host);
  const std::vector<std::string> leaves = fleet::leaves_of(hosts, known_.switches);
  // A slow node would make its switch look slow.
  std::vector<fleet::PairTime> times = found.times;
  std::erase_if(times, [&](const fleet::PairTime& time) {
    return found.ranks[time.nodes.a].judged.verdict == NodeVerdict::bad ||
           found.ranks[time.nodes.b].judged.verdict == NodeVerdict::bad;
  });
  for (const fleet::SlowLeaves& pair : fleet::slow_leaves(leaves, times))
    uplinks_.push_back({pair.a, pair.b, pair.factor, pair.pairs, key});
}

FleetTable FleetCases::table() const {
  FleetTable table{.hosts = {},
                   .links = links_,
                   .uplinks = uplinks_,
                   .changes = alone_.changes(),
                   .peaks = alone_.peaks(),
                   .scales = scale_.scales(),
                   .only_together = known_.only_together,
                   .screenings = screenings_,
                   .lone_cases = 0,
                   .baseline_cases = baseline_.cases()};
  std::map<std::string, std::vector<HostEvidence>> of_host = network_;
  std::set<std::string> alone, keys, names, failing;
  for (const std::string& host : known_.failing) failing.insert(fleet::short_name(host));
  for (const LoneHost& one : alone_.judged()) {
    of_host[one.host].push_back(evidence_of(one));
    alone.insert(one.host);
    keys.insert(one.key);
  }
  for (const LoneHost& one : baseline_.judged()) of_host[one.host].push_back(evidence_of(one));
  table.lone_cases = keys.size();
  for (const SensorFinding& one : sensors_.findings()) {
    HostEvidence evidence = evidence_of(one.verdict, one.component, one.reason);
    evidence.device = one.device;
    of_host[one.host].push_back(std::move(evidence));
  }
  for (const LinkFinding& one : host_links_.findings()) {
    HostEvidence evidence = evidence_of(one.verdict, kGpuCopies, slow_text(one.link));
    evidence.factor = one.link.factor;
    of_host[one.host].push_back(std::move(evidence));
  }
  for (const auto& [host, evidence] : of_host) names.insert(fleet::short_name(host));
  for (const std::string& host : known_.hosts)
    if (names.insert(fleet::short_name(host)).second)
      of_host[host].push_back(evidence_of(NodeVerdict::untested, "", "in no file"));
  for (auto& [host, evidence] : of_host) {
    const bool is_alone = alone.contains(host), meets = network_.contains(host);
    if (failing.contains(fleet::short_name(host)))
      evidence.push_back(
          evidence_of(NodeVerdict::bad, kNetwork, "operations with it fail or do not end"));
    if (is_alone && !meets && (screenings_ > 0 || known_.hosts.size() > 1))
      evidence.push_back(evidence_of(NodeVerdict::untested, kNetwork, "in no screening"));
    if (meets && !is_alone && !alone.empty())
      evidence.push_back(evidence_of(NodeVerdict::untested, "", "not measured by itself"));
    drop_untested(evidence);
    sort_evidence(evidence);
    table.hosts.push_back({host, std::move(evidence)});
  }
  std::ranges::stable_sort(table.hosts, {}, order_of_hosts);
  return table;
}

}  // namespace scalemark::analysis
