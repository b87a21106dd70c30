// SPDX-License-Identifier: Apache-2.0
// Draws where the ranks ran: nodes, NUMA nodes, cores and GPUs.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/html/drawing/svg.hpp"
#include "common/html/html.hpp"
#include "common/html/sections/sections.hpp"

namespace scalemark::html {
namespace {

constexpr std::size_t kMaxNodes = 12;
constexpr std::size_t kMaxRanksPerNode = 32;
constexpr std::size_t kMaxLines = 1024;
constexpr double kPlacesWidth = 360, kMargin = 8, kRankHeight = 34, kHead = 20;

using Ranks = std::vector<const RankInfo*>;

/// Ranks of one node, by NUMA node.
using Node = std::map<int, Ranks>;

std::string gpu_of(const RankInfo& rank) {
  if (rank.gpu_model.empty() && rank.gpu_pci.empty()) return {};
  return rank.gpu_pci.empty() ? rank.gpu_model : fmt::format("{} {}", rank.gpu_model, rank.gpu_pci);
}

void draw_rank(const RankInfo& rank, double x, double y, double width, Svg& svg) {
  const std::string cores =
      rank.cpuset.empty() ? std::string("any core") : fmt::format("cores {}", rank.cpuset);
  const std::string gpu = gpu_of(rank);
  // Text that does not fit is shortened; the table has it in full.
  const double room = width - 8;
  svg.rectangle(x, y, width, kRankHeight - 4, "c",
                fmt::format("rank {} {} {}", rank.rank, cores, gpu));
  svg.text(x + 5, y + 13, fitted(fmt::format("rank {}", rank.rank), room), "");
  svg.text(x + 5, y + 26, fitted(gpu.empty() ? cores : gpu, room), "q");
}

/// Lines that the ranks of a NUMA node need, `across` ranks per line.
std::size_t lines_of(const Ranks& ranks, std::size_t across) {
  return (std::min(ranks.size(), kMaxRanksPerNode) + across - 1) / across;
}

std::string node_drawing(const std::string& name, const Node& node, const std::string& cpu) {
  std::size_t count = 0;
  for (const auto& [numa, ranks] : node) count += ranks.size();
  const std::size_t across = count <= 4 ? 2 : 3;
  double height = 4;
  for (const auto& [numa, ranks] : node)
    height += kHead + kMargin + kRankHeight * static_cast<double>(lines_of(ranks, across)) + 4;
  Svg svg(kPlacesWidth, height, fmt::format("Ranks on {}", name),
          fmt::format("{} ranks on {} NUMA nodes; the table names all.", count, node.size()));
  double y = 2;
  for (const auto& [numa, ranks] : node) {
    const double inside = kHead + kRankHeight * static_cast<double>(lines_of(ranks, across)) + 4;
    svg.rectangle(1, y, kPlacesWidth - 2, inside, "k");
    svg.text(kMargin, y + 14,
             numa < 0 ? std::string("NUMA node not known") : fmt::format("NUMA node {}", numa), "");
    const double width = (kPlacesWidth - 2 * kMargin) / static_cast<double>(across);
    for (std::size_t i = 0; i < std::min(ranks.size(), kMaxRanksPerNode); ++i) {
      draw_rank(*ranks[i], kMargin + width * static_cast<double>(i % across),
                y + kHead + kRankHeight * static_cast<double>(i / across), width - 4, svg);
    }
    y += inside + kMargin;
  }
  return fmt::format(
      "<figure><figcaption>{}<span class=\"sub\">{}</span></figcaption>\n{}</figure>\n",
      text_of(name), text_of(cpu), svg.str());
}

/// The placement of the ranks of a run, for all or some of its cases.
struct Placed {
  std::string label;  ///< the file, and which cases
  const std::vector<RankInfo>& ranks;
};

std::vector<Placed> placements_of(const RunExtract& run) {
  std::vector<Placed> placed;
  placed.push_back({run.label, run.ranks});
  for (const Placement& moved : run.moved) {
    placed.push_back(
        {fmt::format("{}, {} after --resume", run.label, text::counted(moved.cases, "case")),
         moved.ranks});
  }
  return placed;
}

std::string ranks_table(const Placed& placed) {
  std::vector<TableRow> rows;
  for (const RankInfo& rank : placed.ranks) {
    if (rows.size() == kMaxLines) break;
    const auto or_none = [](const std::string& text) { return text.empty() ? "-" : text; };
    rows.push_back({{std::to_string(rank.rank), rank.node, std::to_string(rank.local_rank),
                     rank.numa < 0 ? "-" : std::to_string(rank.numa), or_none(rank.cpuset),
                     or_none(gpu_of(rank)), or_none(rank.nic), or_none(rank.note)},
                    ""});
  }
  return table(fmt::format("{}: {} of {} ranks", placed.label, rows.size(), placed.ranks.size()),
               {{"rank", true},
                {"node"},
                {"on the node", true},
                {"NUMA", true},
                {"cores"},
                {"GPU"},
                {"NIC"},
                {"note"}},
               rows);
}

/// `model`: the CPU model. `several`: print the label that tells the placements apart.
std::string drawings(const Placed& placed, const std::string& model, bool several) {
  std::map<std::string, Node> nodes;
  std::vector<std::string> order;
  for (const RankInfo& rank : placed.ranks) {
    if (!nodes.contains(rank.node)) order.push_back(rank.node);
    nodes[rank.node][rank.numa].push_back(&rank);
  }
  std::string html;
  for (std::size_t i = 0; i < std::min(order.size(), kMaxNodes); ++i) {
    html += node_drawing(order[i], nodes[order[i]],
                         several ? fmt::format("{} {}", placed.label, model) : model);
  }
  if (order.size() > kMaxNodes)
    html += note(fmt::format("Drawn: {} of {} nodes.", kMaxNodes, order.size()));
  return html;
}

/// Text of all that a drawing depends on: equal texts give equal drawings.
std::string shape_of(const std::vector<RankInfo>& ranks) {
  std::string shape;
  for (const RankInfo& rank : ranks)
    shape += fmt::format("{}|{}|{}|{}\n", rank.node, rank.numa, rank.cpuset, rank.gpu_pci);
  return shape;
}

}  // namespace

std::string places(std::span<const RunExtract> runs) {
  std::string html, tables;
  std::set<std::string> seen;
  for (const RunExtract& run : runs) {
    const auto cpu = run.facts.find("cpu_model");
    const std::string model = cpu == run.facts.end() ? std::string() : cpu->second;
    for (const Placed& placed : placements_of(run)) {
      if (placed.ranks.empty() || !seen.insert(shape_of(placed.ranks)).second) continue;
      const std::string one = drawings(placed, model, runs.size() > 1 || !run.moved.empty()),
                        table = ranks_table(placed);
      if (html.size() + tables.size() + one.size() + table.size() > kDrawingBytes) break;
      html += one;
      tables += table;
    }
  }
  if (html.empty()) return {};
  return fmt::format("<div class=\"grid\">\n{}</div>\n{}", html, folded("Numbers", tables));
}

}  // namespace scalemark::html
