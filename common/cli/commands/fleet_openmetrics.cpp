// SPDX-License-Identifier: Apache-2.0
// A fleet as OpenMetrics, for Prometheus' textfile collector and for alerts.
#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/cli/commands/fleet_print.hpp"
#include "common/fleet/host_names.hpp"
#include "common/formats/openmetrics/families.hpp"

namespace scalemark::cli {
namespace {

using fleet::NodeVerdict;
using formats::MetricLabels;

struct FleetFamily {
  std::string_view name, help;
};
constexpr std::array<FleetFamily, 10> kFamilies{{
    {"hosts", "Hosts by verdict"},
    {"host_verdict", "Verdict of a host: 0 OK, 1 UNTESTED, 2 SUSPECT, 3 BAD"},
    {"component_verdict", "Verdict of a part of a host: 0 OK, 1 UNTESTED, 2 SUSPECT, 3 BAD"},
    {"host_factor",
     "Time of a host, relative to the median of the others, to its own past or to a baseline"},
    {"link_factor", "Time of a slow pair of hosts, relative to their other pairs"},
    {"uplink_factor", "Time between two switches, relative to other switches"},
    {"change_factor", "Time of a case on all hosts, relative to earlier runs"},
    {"peak_fraction", "Part of a peak that a case reaches, as a median over hosts"},
    {"scale_factor", "Time of a collective of all hosts, relative to what those of parts predict"},
    {"only_together", "Number of hosts that an operation fails with, but not with half of them"},
}};

/// All families are printed, also those without a value: a dashboard can be tested against any
/// fleet.
class FleetMetrics {
 public:
  FleetMetrics() {
    for (const FleetFamily& one : kFamilies)
      families_.declare(kPrefix + std::string(one.name), "", std::string(one.help));
  }

  void add(std::string_view name, const MetricLabels& labels, double value) {
    const FleetFamily& family = *std::ranges::find(kFamilies, name, &FleetFamily::name);
    families_.add(kPrefix + std::string(name), "", std::string(family.help), labels, value);
  }

  void print() const { families_.print(std::cout); }

 private:
  static constexpr const char* kPrefix = "scalemark_fleet_";
  formats::MetricFamilies families_;
};

/// The worst that is said of each component, also by sensors, which have no case and no factor.
void add_components(const analysis::HostVerdict& host, FleetMetrics& metrics) {
  std::map<std::pair<std::string, std::string>, int> worst;  // by component and device
  for (const analysis::HostEvidence& one : host.evidence) {
    if (one.component.empty()) continue;
    int& verdict = worst[{one.component, one.device}];
    verdict = std::max(verdict, fleet::severity(one.verdict));
  }
  for (const auto& [part, verdict] : worst) {
    MetricLabels labels{{"host", host.host}, {"component", part.first}};
    if (!part.second.empty()) labels.emplace_back("device", part.second);
    metrics.add("component_verdict", labels, verdict);
  }
}

void add_host(const analysis::HostVerdict& host, FleetMetrics& metrics) {
  metrics.add("host_verdict", {{"host", host.host}}, fleet::severity(host.verdict()));
  add_components(host, metrics);
  for (const analysis::HostEvidence& one : host.evidence) {
    if (one.key.empty()) continue;
    MetricLabels labels{{"host", host.host},
                        {"component", one.component},
                        {"key", one.key},
                        {"rank", one.has_rank() ? std::to_string(one.rank) : ""},
                        {"than", one.baseline_runs > 0 ? "baseline"
                                 : one.past > 0        ? "before"
                                                       : "others"}};
    if (!one.device.empty()) labels.emplace_back("device", one.device);
    metrics.add("host_factor", labels, one.factor);
  }
}

}  // namespace

void print_fleet_openmetrics(const analysis::FleetTable& fleet) {
  FleetMetrics metrics;
  for (const NodeVerdict verdict :
       {NodeVerdict::ok, NodeVerdict::untested, NodeVerdict::suspect, NodeVerdict::bad})
    metrics.add("hosts", {{"verdict", std::string(to_string(verdict))}},
                static_cast<double>(fleet.count(verdict)));
  for (const analysis::HostVerdict& host : fleet.hosts) add_host(host, metrics);
  for (const analysis::FleetLink& link : fleet.links)
    metrics.add("link_factor", {{"host", link.one}, {"peer", link.other}, {"key", link.key}},
                link.factor);
  for (const analysis::FleetLink& link : fleet.uplinks)
    metrics.add("uplink_factor", {{"switch", link.one}, {"other", link.other}, {"key", link.key}},
                link.factor);
  for (const analysis::FleetChange& change : fleet.changes)
    metrics.add("change_factor", {{"key", change.key}, {"component", change.component}},
                change.factor);
  for (const analysis::FleetPeak& peak : fleet.peaks)
    metrics.add("peak_fraction", {{"key", peak.key}, {"component", peak.component}}, peak.fraction);
  for (const analysis::FullScale& one : fleet.scales)
    if (one.predicted > 0)
      metrics.add("scale_factor", {{"key", one.key}, {"ranks", std::to_string(one.ranks)}},
                  one.factor());
  for (const std::vector<std::string>& group : fleet.only_together)
    metrics.add("only_together", {{"hosts", fleet::node_list(group)}},
                static_cast<double>(group.size()));
  metrics.print();
}

}  // namespace scalemark::cli
