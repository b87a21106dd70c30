// SPDX-License-Identifier: Apache-2.0
// Text and JSON of a fleet. Names and reasons come from files, and are printed as such.
#include "common/cli/commands/fleet_print.hpp"

#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "common/base/counted.hpp"
#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/cli/terminal.hpp"
#include "common/fleet/host_names.hpp"
#include "common/result/point.hpp"
#include "common/text/cells.hpp"
#include "common/text/table.hpp"

namespace scalemark::cli {
namespace {

using analysis::FleetLink;
using analysis::FleetTable;
using analysis::FullScale;
using analysis::HostEvidence;
using analysis::HostVerdict;
using fleet::is_host_name;
using fleet::node_list;
using fleet::NodeVerdict;
using nlohmann::ordered_json;

constexpr std::size_t kLongestKey = 200;

/// Of characters that a shell takes literally between double quotes.
std::string without_specials(std::string text) {
  for (char& c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') ||
                          std::string_view(" .,:;_=+-/()").find(c) != std::string_view::npos;
    if (!is_plain) c = '?';
  }
  return text;
}

std::vector<std::string> bad_hosts(const FleetTable& fleet) {
  std::vector<std::string> bad;
  for (const HostVerdict& one : fleet.hosts)
    if (one.verdict() == NodeVerdict::bad && is_host_name(one.host)) bad.push_back(one.host);
  return bad;
}

text::TextRow row_of(const HostVerdict& one) {
  const HostEvidence& why = one.evidence.front();
  return {
      .cells = {std::string(to_string(why.verdict)), text::printable(one.host, 60),
                why.component.empty() ? "-" : why.component,
                why.has_rank() ? std::to_string(why.rank) : "-", text::printable(why.device, 40),
                text::printable(why.reason, 120), text::printable(why.key, kLongestKey)},
      .color = {}};
}

void print_links(const std::vector<FleetLink>& links, const char* than) {
  for (const FleetLink& link : links)
    fmt::print(std::cout, "{} - {}: {:.2f} times as long as {}, in {}: {}\n",
               text::printable(link.one, 60), text::printable(link.other, 60), link.factor, than,
               text::counted(link.measurements, "measurement"),
               text::printable(link.key, kLongestKey));
}

ordered_json json_of(const HostEvidence& one) {
  ordered_json evidence = {
      {"verdict", to_string(one.verdict)},
      {"component", one.component},
      {"factor", text::json_number(one.factor)},
      {"reason", text::json_text(one.reason)},
      {"rank", one.baseline_runs > 0 ? ordered_json() : ordered_json(one.rank)},
      {"device", text::json_text(one.device)},
      {"key", text::json_text(one.key)}};
  if (one.pairs > 0) evidence["pairs"] = one.pairs;
  if (one.past > 0) evidence["earlier_runs"] = one.past;
  if (one.baseline_runs > 0) evidence["baseline_runs"] = one.baseline_runs;
  if (one.rail) evidence["rail"] = *one.rail;
  return evidence;
}

ordered_json json_of(const std::vector<FleetLink>& links, const char* one, const char* other) {
  ordered_json all = ordered_json::array();
  for (const FleetLink& link : links)
    all.push_back({{one, text::json_text(link.one)},
                   {other, text::json_text(link.other)},
                   {"factor", text::json_number(link.factor)},
                   {"measurements", link.measurements},
                   {"key", text::json_text(link.key)}});
  return all;
}

void print_scale(const FullScale& one) {
  const std::string operation = text::printable(name_in_suite(one.key), 60);
  for (const analysis::ScalePart& part : one.slow_parts)
    fmt::print(std::cout, "{} of {}: {:.2f} times as long as other parts of {}\n", operation,
               text::printable(node_list(part.hosts), 120), part.judged.factor,
               text::counted(part.hosts.size(), "host"));
  if (one.predicted <= 0) return;
  const char* slow = one.slow_parts.empty() ? ": slow only at full scale" : ": slow";
  fmt::print(std::cout,
             "{} of all {} ({}): {}, {:.2f} times what its parts predict (up to {}{}){}\n",
             operation, text::counted(one.hosts, "host"), text::counted(one.ranks, "rank"),
             units::seconds(one.seconds), one.factor(), units::seconds(one.high),
             one.is_tested ? "" : "; the prediction is not checked", one.is_slow() ? slow : "");
}

ordered_json json_of(const std::vector<FullScale>& scales) {
  ordered_json all = ordered_json::array();
  for (const FullScale& one : scales) {
    ordered_json parts = ordered_json::array();
    for (const analysis::ScalePart& part : one.slow_parts)
      parts.push_back({{"hosts", text::json_text(node_list(part.hosts))},
                       {"verdict", to_string(part.judged.verdict)},
                       {"factor", text::json_number(part.judged.factor)}});
    all.push_back({{"key", text::json_text(one.key)},
                   {"ranks", one.ranks},
                   {"hosts", one.hosts},
                   {"seconds", text::json_number(one.seconds)},
                   {"predicted", text::json_number(one.predicted)},
                   {"high", text::json_number(one.high)},
                   {"tested", one.is_tested},
                   {"slow", one.is_slow()},
                   {"slow_parts", parts}});
  }
  return all;
}

ordered_json json_of(const std::vector<analysis::FleetChange>& changes) {
  ordered_json all = ordered_json::array();
  for (const analysis::FleetChange& one : changes)
    all.push_back({{"component", one.component},
                   {"factor", text::json_number(one.factor)},
                   {"hosts", one.hosts},
                   {"key", text::json_text(one.key)}});
  return all;
}

ordered_json json_of(const std::vector<analysis::FleetPeak>& peaks) {
  ordered_json all = ordered_json::array();
  for (const analysis::FleetPeak& one : peaks)
    all.push_back({{"component", one.component},
                   {"fraction", text::json_number(one.fraction)},
                   {"least", text::json_number(one.least)},
                   {"hosts", one.hosts},
                   {"key", text::json_text(one.key)}});
  return all;
}

/// Not of single hosts: whether all are slow alike.
void print_peaks(const std::vector<analysis::FleetPeak>& peaks) {
  std::vector<text::TextRow> rows;
  for (const analysis::FleetPeak& one : peaks)
    rows.push_back({.cells = {fmt::format("{:.0f} %", 100 * one.fraction),
                              fmt::format("{:.0f} %", 100 * one.least), std::to_string(one.hosts),
                              one.component, text::printable(one.key, kLongestKey)},
                    .color = {}});
  if (!rows.empty())
    text::print_text_table({{.header = "of the peak", .number = true},
                            {.header = "least", .number = true},
                            {.header = "hosts", .number = true},
                            {.header = "component"},
                            {.header = "case"}},
                           rows, table_width(), std::cout);
}

}  // namespace

std::vector<std::string> drain_lines(const FleetTable& fleet) {
  std::vector<std::string> lines;
  for (const HostVerdict& one : fleet.hosts) {
    if (one.verdict() != NodeVerdict::bad || !is_host_name(one.host)) continue;
    const HostEvidence& why = one.evidence.front();
    lines.push_back(
        fmt::format("scontrol update NodeName={} State=DRAIN Reason=\"scalemark: {}\"", one.host,
                    without_specials(why.component + " " + text::printable(why.reason, 120))));
  }
  return lines;
}

void print_fleet_text(const FleetTable& fleet, bool all) {
  std::vector<text::TextRow> rows;
  for (const HostVerdict& one : fleet.hosts)
    if (one.verdict() != NodeVerdict::ok || all) rows.push_back(row_of(one));
  if (!rows.empty())
    text::print_text_table({{.header = "verdict"},
                            {.header = "host"},
                            {.header = "component"},
                            {.header = "rank", .number = true},
                            {.header = "device"},
                            {.header = "reason"},
                            {.header = "case"}},
                           rows, table_width(), std::cout);
  print_links(fleet.links, "their other pairs");
  print_links(fleet.uplinks, "other pairs of switches");
  for (const analysis::FleetChange& one : fleet.changes)
    fmt::print(std::cout, "all hosts: {} takes {:.2f} times as long as before, as a median of {}\n",
               text::printable(one.key, kLongestKey), one.factor, one.hosts);
  print_peaks(fleet.peaks);
  for (const FullScale& one : fleet.scales) print_scale(one);
  for (const std::vector<std::string>& group : fleet.only_together)
    fmt::print(std::cout,
               "{}: operations of these {} together fail or do not end, those of each half alone "
               "succeed\n",
               text::printable(node_list(group), 400), text::counted(group.size(), "host"));
  fmt::print(std::cout, "{}, {}, {} of each host by itself: {} bad, {} suspect, {} untested, {}\n",
             text::counted(fleet.hosts.size(), "host"),
             text::counted(fleet.screenings, "screening"), text::counted(fleet.lone_cases, "case"),
             fleet.count(NodeVerdict::bad), fleet.count(NodeVerdict::suspect),
             fleet.count(NodeVerdict::untested),
             text::counted(fleet.links.size() + fleet.uplinks.size(), "slow link"));
  const std::vector<std::string> bad = bad_hosts(fleet);
  if (!bad.empty()) fmt::print(std::cout, "bad: {}\n", node_list(bad));
  for (const std::string& line : drain_lines(fleet)) fmt::print(std::cout, "{}\n", line);
}

void print_fleet_json(const FleetTable& fleet) {
  ordered_json hosts = ordered_json::array();
  for (const HostVerdict& one : fleet.hosts) {
    ordered_json host = {{"host", text::json_text(one.host)}};
    host.update(json_of(one.evidence.front()));
    ordered_json& evidence = host["evidence"] = ordered_json::array();
    for (const HostEvidence& why : one.evidence) evidence.push_back(json_of(why));
    hosts.push_back(std::move(host));
  }
  ordered_json only_together = ordered_json::array();
  for (const std::vector<std::string>& group : fleet.only_together)
    only_together.push_back(node_list(group));
  const ordered_json all = {{"screenings", fleet.screenings},
                            {"lone_cases", fleet.lone_cases},
                            {"hosts", hosts},
                            {"links", json_of(fleet.links, "host", "peer")},
                            {"uplinks", json_of(fleet.uplinks, "switch", "other")},
                            {"changes", json_of(fleet.changes)},
                            {"peaks", json_of(fleet.peaks)},
                            {"scales", json_of(fleet.scales)},
                            {"only_together", only_together},
                            {"bad", node_list(bad_hosts(fleet))},
                            {"drain", drain_lines(fleet)}};
  std::cout << all.dump(1) << "\n";
}

}  // namespace scalemark::cli
