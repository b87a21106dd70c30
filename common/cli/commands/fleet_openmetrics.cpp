// SPDX-License-Identifier: Apache-2.0
// A fleet as OpenMetrics, for Prometheus' textfile collector and for alerts.
#include <iostream>
#include <string>

#include "common/cli/commands/fleet_print.hpp"
#include "common/formats/openmetrics/families.hpp"

namespace scalemark::cli {
namespace {

using fleet::NodeVerdict;

void add_host(const analysis::HostVerdict& host, formats::MetricFamilies& families) {
  families.add("scalemark_fleet_host_verdict", "",
               "Verdict of a host: 0 OK, 1 UNTESTED, 2 SUSPECT, 3 BAD", {{"host", host.host}},
               fleet::severity(host.verdict()));
  for (const analysis::HostEvidence& one : host.evidence) {
    if (one.key.empty()) continue;
    formats::MetricLabels labels{{"host", host.host},
                                 {"component", one.component},
                                 {"key", one.key},
                                 {"rank", std::to_string(one.rank)},
                                 {"than", one.past > 0 ? "before" : "others"}};
    if (!one.device.empty()) labels.emplace_back("device", one.device);
    families.add("scalemark_fleet_host_factor", "",
                 "Time of a host, relative to the median of the others or to its own past", labels,
                 one.factor);
  }
}

}  // namespace

void print_fleet_openmetrics(const analysis::FleetTable& fleet) {
  formats::MetricFamilies families;
  for (const NodeVerdict verdict :
       {NodeVerdict::ok, NodeVerdict::untested, NodeVerdict::suspect, NodeVerdict::bad})
    families.add("scalemark_fleet_hosts", "", "Hosts by verdict",
                 {{"verdict", std::string(to_string(verdict))}},
                 static_cast<double>(fleet.count(verdict)));
  for (const analysis::HostVerdict& host : fleet.hosts) add_host(host, families);
  for (const analysis::FleetLink& link : fleet.links)
    families.add("scalemark_fleet_link_factor", "",
                 "Time of a slow pair of hosts, relative to their other pairs",
                 {{"host", link.one}, {"peer", link.other}, {"key", link.key}}, link.factor);
  for (const analysis::FleetLink& link : fleet.uplinks)
    families.add("scalemark_fleet_uplink_factor", "",
                 "Time between two switches, relative to other switches",
                 {{"switch", link.one}, {"other", link.other}, {"key", link.key}}, link.factor);
  for (const analysis::FleetChange& change : fleet.changes)
    families.add("scalemark_fleet_change_factor", "",
                 "Time of a case on all hosts, relative to earlier runs",
                 {{"key", change.key}, {"component", change.component}}, change.factor);
  for (const analysis::FleetPeak& peak : fleet.peaks)
    families.add("scalemark_fleet_peak_fraction", "",
                 "Part of a peak that a case reaches, as a median over hosts",
                 {{"key", peak.key}, {"component", peak.component}}, peak.fraction);
  for (const analysis::FullScale& one : fleet.scales)
    if (one.predicted > 0)
      families.add("scalemark_fleet_scale_factor", "",
                   "Time of a collective of all hosts, relative to what those of parts predict",
                   {{"key", one.key}, {"ranks", std::to_string(one.ranks)}}, one.factor());
  families.print(std::cout);
}

}  // namespace scalemark::cli
