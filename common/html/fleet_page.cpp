// SPDX-License-Identifier: Apache-2.0
// Draws a cluster as a map of squares, with tables of what is wrong.
#include "common/html/fleet_page.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/base/units.hpp"
#include "common/base/version.hpp"
#include "common/fleet/host_names.hpp"
#include "common/fleet/switches.hpp"
#include "common/html/drawing/svg.hpp"
#include "common/html/html.hpp"

namespace scalemark::html {
namespace {

using analysis::FleetLink;
using analysis::FleetTable;
using analysis::HostEvidence;
using analysis::HostVerdict;
using fleet::NodeVerdict;

/// A page of more would take seconds to draw.
constexpr std::size_t kMaxSquares = 16384, kMaxFleetRows = 500;
constexpr double kSquare = 18, kSquareStep = 21, kFleetMapWidth = 960, kGroupTitle = 22;

struct VerdictLook {
  NodeVerdict verdict;
  const char* css;     ///< of the square
  const char* letter;  ///< on the square: colour is not all that tells verdicts apart
  const char* mark;    ///< CSS class of a table's cell
};
constexpr std::array<VerdictLook, 4> kLooks{{{NodeVerdict::ok, "vo", "", "good"},
                                             {NodeVerdict::untested, "vu", "U", ""},
                                             {NodeVerdict::suspect, "vs", "S", "warn"},
                                             {NodeVerdict::bad, "vb", "B", "bad"}}};

const VerdictLook& look_of(NodeVerdict verdict) {
  return *std::ranges::find(kLooks, verdict, &VerdictLook::verdict);
}

std::string tooltip_of(const HostVerdict& one) {
  const HostEvidence& why = one.evidence.front();
  std::string text = fmt::format("{}: {}", one.host, to_string(one.verdict()));
  if (!why.component.empty()) text += ", " + why.component;
  if (!why.reason.empty()) text += ", " + why.reason;
  return text;
}

using HostGroup = std::vector<const HostVerdict*>;

/// Hosts by the switch above them, each group in order of names.
std::map<std::string, HostGroup> groups_of(const FleetTable& fleet,
                                           const FleetPageOptions& options) {
  std::map<std::string, HostGroup> groups;
  for (const HostVerdict& one : fleet.hosts) {
    const std::string* above = fleet::leaf_of(one.host, options.switches);
    groups[above == nullptr ? std::string() : *above].push_back(&one);
  }
  for (auto& [name, hosts] : groups)
    std::ranges::sort(hosts, {},
                      [](const HostVerdict* one) { return fleet::name_order(one->host); });
  return groups;
}

std::string map_of(const FleetTable& fleet, const FleetPageOptions& options) {
  const auto groups = groups_of(fleet, options);
  const auto columns = static_cast<std::size_t>(kFleetMapWidth / kSquareStep);
  double height = 0;
  for (const auto& [name, hosts] : groups)
    height += static_cast<double>((hosts.size() + columns - 1) / columns) * kSquareStep +
              (groups.size() > 1 || !name.empty() ? kGroupTitle : 0);
  Svg svg(kFleetMapWidth, height + kSquareStep, "Hosts of the cluster",
          "A square for each host. B: bad, S: suspect, U: untested, no letter: OK.");
  double y = 0;
  std::size_t drawn = 0;
  for (const auto& [name, hosts] : groups) {
    if (groups.size() > 1 || !name.empty()) {
      svg.text(0, y + 15,
               fitted(fmt::format("{} ({})", name.empty() ? "switch not known" : name,
                                  text::counted(hosts.size(), "host")),
                      kFleetMapWidth),
               "q");
      y += kGroupTitle;
    }
    for (std::size_t i = 0; i < hosts.size() && drawn < kMaxSquares; ++i, ++drawn) {
      const VerdictLook& look = look_of(hosts[i]->verdict());
      const double left = static_cast<double>(i % columns) * kSquareStep,
                   top = y + static_cast<double>(i / columns) * kSquareStep;
      svg.rectangle(left, top, kSquare, kSquare, look.css, tooltip_of(*hosts[i]));
      if (*look.letter != 0) svg.text(left + kSquare / 2, top + 13, look.letter, "m i");
    }
    y += static_cast<double>((hosts.size() + columns - 1) / columns) * kSquareStep;
  }
  std::string legend;
  for (const VerdictLook& look : kLooks)
    legend += legend_area(
        look.css, fmt::format("{}: {}", to_string(look.verdict), fleet.count(look.verdict)));
  std::string html = fmt::format(
      "<figure class=\"broad\">\n{}<ul class=\"legend\">{}</ul></figure>\n", svg.str(), legend);
  if (drawn < fleet.hosts.size())
    html += note(fmt::format("Drawn: {} of {} hosts.", drawn, fleet.hosts.size()));
  return html;
}

std::string table_of_hosts(const FleetTable& fleet) {
  std::vector<TableRow> rows;
  std::size_t left_out = 0;
  for (const HostVerdict& one : fleet.hosts) {
    for (const HostEvidence& why : one.evidence) {
      if (why.verdict == NodeVerdict::ok) continue;
      if (rows.size() == kMaxFleetRows) {
        ++left_out;
        continue;
      }
      rows.push_back({.cells = {std::string(to_string(why.verdict)), one.host, why.component,
                                why.has_rank() ? std::to_string(why.rank) : "", why.device,
                                why.reason, why.key},
                      .mark = look_of(why.verdict).mark});
    }
  }
  if (rows.empty()) return note("All hosts are OK.");
  std::string html = table("",
                           {{.header = "verdict"},
                            {.header = "host"},
                            {.header = "component"},
                            {.header = "rank", .number = true},
                            {.header = "device"},
                            {.header = "reason"},
                            {.header = "case"}},
                           rows, "cards");
  if (left_out > 0) html += note(fmt::format("{} more are in the JSON.", left_out));
  return html;
}

void add_link_rows(const std::vector<FleetLink>& links, const char* kind,
                   std::vector<TableRow>& rows) {
  for (const FleetLink& link : links)
    if (rows.size() < kMaxFleetRows)
      rows.push_back({.cells = {kind, link.one, link.other, fmt::format("{:.2f}", link.factor),
                                std::to_string(link.measurements), link.key},
                      .mark = "bad"});
}

std::string table_of_links(const FleetTable& fleet) {
  std::vector<TableRow> rows;
  add_link_rows(fleet.links, "hosts", rows);
  add_link_rows(fleet.uplinks, "switches", rows);
  if (rows.empty()) return {};
  return table("",
               {{.header = "between"},
                {.header = "one"},
                {.header = "other"},
                {.header = "times as long", .number = true},
                {.header = "slow measurements", .number = true},
                {.header = "case"}},
               rows, "cards");
}

std::string table_of_changes(const FleetTable& fleet) {
  std::vector<TableRow> rows;
  for (const analysis::FleetChange& one : fleet.changes)
    rows.push_back({.cells = {one.component, fmt::format("{:.2f}", one.factor),
                              std::to_string(one.hosts), one.key},
                    .mark = one.factor > 1 ? "bad" : "good"});
  if (rows.empty()) return {};
  return table("",
               {{.header = "component"},
                {.header = "times as long as before", .number = true},
                {.header = "hosts", .number = true},
                {.header = "case"}},
               rows, "cards");
}

std::string table_of_peaks(const FleetTable& fleet) {
  std::vector<TableRow> rows;
  for (const analysis::FleetPeak& one : fleet.peaks)
    if (rows.size() < kMaxFleetRows)
      rows.push_back(
          {.cells = {one.component, fmt::format("{:.0f} %", 100 * one.fraction),
                     fmt::format("{:.0f} %", 100 * one.least), std::to_string(one.hosts), one.key},
           .mark = {}});
  if (rows.empty()) return {};
  return table("",
               {{.header = "component"},
                {.header = "median of the hosts", .number = true},
                {.header = "least", .number = true},
                {.header = "hosts", .number = true},
                {.header = "case"}},
               rows, "cards");
}

std::string table_of_scales(const FleetTable& fleet) {
  std::vector<TableRow> rows;
  for (const analysis::FullScale& one : fleet.scales) {
    if (one.predicted > 0)
      rows.push_back({.cells = {fmt::format("all {} hosts", one.hosts), units::seconds(one.seconds),
                                fmt::format("{:.2f}", one.factor()),
                                "what parts predict, up to " + units::seconds(one.high), one.key},
                      .mark = one.is_slow() ? "bad" : "good"});
    for (const analysis::ScalePart& part : one.slow_parts)
      if (rows.size() < kMaxFleetRows)
        rows.push_back(
            {.cells = {fleet::node_list(part.hosts), "", fmt::format("{:.2f}", part.judged.factor),
                       "other parts of as many hosts", one.key},
             .mark = "bad"});
  }
  if (rows.empty()) return {};
  return table("",
               {{.header = "hosts"},
                {.header = "time", .number = true},
                {.header = "times as long", .number = true},
                {.header = "as"},
                {.header = "case"}},
               rows, "cards");
}

std::string table_of_groups(const FleetTable& fleet) {
  std::vector<TableRow> rows;
  for (const std::vector<std::string>& group : fleet.only_together)
    rows.push_back(
        {.cells = {fleet::node_list(group), std::to_string(group.size())}, .mark = "bad"});
  if (rows.empty()) return {};
  return note("Operations of these hosts fail or do not end, while those of each half succeed.") +
         table("", {{.header = "hosts"}, {.header = "number", .number = true}}, rows, "cards");
}

std::string heading_of(const FleetTable& fleet) {
  const std::size_t bad = fleet.count(NodeVerdict::bad),
                    suspect = fleet.count(NodeVerdict::suspect);
  const char* css = bad > 0 ? "bad" : suspect > 0 || fleet.has_fault() ? "warn" : "good";
  return fmt::format(
      "<h1>Scalemark fleet</h1>\n<div class=\"verdict {}\"><b>{}</b>{}</div>\n", css,
      text_of(bad > 0 ? text::counted(bad, "bad host") : std::string("No bad host")),
      text_of(fmt::format(
          "{}: {} suspect, {} untested, {}. {}, {} of each host by itself.",
          text::counted(fleet.hosts.size(), "host"), suspect, fleet.count(NodeVerdict::untested),
          text::counted(fleet.links.size() + fleet.uplinks.size(), "slow link"),
          text::counted(fleet.screenings, "screening"), text::counted(fleet.lone_cases, "case"))));
}

}  // namespace

std::string fleet_page(const FleetTable& fleet, const FleetPageOptions& options) {
  std::vector<Section> sections{{"map", "Map", map_of(fleet, options)},
                                {"hosts", "Hosts that are not OK", table_of_hosts(fleet)}};
  const std::string links = table_of_links(fleet), changes = table_of_changes(fleet),
                    scales = table_of_scales(fleet), groups = table_of_groups(fleet),
                    peaks = table_of_peaks(fleet);
  if (!links.empty()) sections.push_back({"links", "Slow links", links});
  if (!groups.empty()) sections.push_back({"together", "Hosts that fail only together", groups});
  if (!scales.empty()) sections.push_back({"scale", "All hosts and parts of them", scales});
  if (!changes.empty()) sections.push_back({"changes", "What changed on all hosts", changes});
  if (!peaks.empty()) sections.push_back({"peaks", "What the hosts reach of the peaks", peaks});
  if (!options.drain.empty()) {
    std::string lines;
    for (const std::string& line : options.drain) lines += text_of(line) + "\n";
    sections.push_back(
        {"drain", "Commands that drain the bad hosts",
         note("Nothing has run them.") + fmt::format("<textarea readonly>{}</textarea>\n", lines)});
  }
  return document(
      "Scalemark fleet", heading_of(fleet), sections,
      note(fmt::format("Made by Scalemark {} ({}). A host is compared with hosts of the "
                       "same models of CPU and GPU.",
                       version(), git_revision())));
}

}  // namespace scalemark::html
