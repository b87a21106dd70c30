// SPDX-License-Identifier: Apache-2.0
// Spread of samples: over the iterations of each run, and over ranks.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "common/base/units.hpp"
#include "common/html/drawing/chart.hpp"
#include "common/html/drawing/heat_map.hpp"
#include "common/html/html.hpp"
#include "common/html/sections/sections.hpp"

namespace scalemark::html {
namespace {

constexpr std::size_t kMaxDistributions = 9;
constexpr std::size_t kMaxMaps = 8;
constexpr std::size_t kMaxRuns = 8;

/// The key without the benchmark's name.
std::string axes_of(const Row& row) {
  return row.key.substr(std::min(row.name.size() + 1, row.key.size()));
}

/// (Largest - smallest decile) / median, for the run where it is widest.
double spread_of(const Row& row) {
  double widest = 0;
  for (const CaseExtract* one : row.cases) {
    if (one->quantiles.size() != 65 || !(one->quantiles[32] > 0)) continue;
    const double width = (one->quantiles[58] - one->quantiles[6]) / one->quantiles[32];
    widest = std::max(widest, width);
  }
  return widest;
}

std::string quantile_table(const Row& row, const std::string& unit) {
  constexpr std::array<std::size_t, 7> kShown = {0, 3, 16, 32, 48, 61, 64};
  std::vector<TableRow> lines;
  for (std::size_t i = 0; i < row.cases.size(); ++i) {
    const std::vector<float>& quantiles = row.cases[i]->quantiles;
    if (quantiles.empty()) continue;
    TableRow line{{std::to_string(row.run_numbers[i] + 1)}, ""};
    for (const std::size_t place : kShown)
      line.cells.push_back(units::quantity(static_cast<double>(quantiles[place]), unit));
    lines.push_back(std::move(line));
  }
  return table(row.key,
               {{"run", true},
                {"least", true},
                {"5 %", true},
                {"25 %", true},
                {"median", true},
                {"75 %", true},
                {"95 %", true},
                {"largest", true}},
               lines);
}

std::string distribution(const Row& row) {
  const Quantity& primary = row.sample().quantities.front();
  Chart chart;
  chart.title = row.name;
  chart.subtitle = axes_of(row);
  chart.description =
      fmt::format("Share of iterations that took at most this time; one line for each of {} runs.",
                  row.cases.size());
  chart.x = {.title = primary.name, .kind = ScaleKind::log10, .unit = primary.unit};
  chart.y = {.title = "share of iterations", .unit = "1", .from_zero = true};
  for (std::size_t i = 0; i < row.cases.size(); ++i) {
    const std::vector<float>& quantiles = row.cases[i]->quantiles;
    if (quantiles.empty() || chart.series.size() == kMaxRuns) continue;
    Series series;
    series.name = fmt::format("run {}", row.run_numbers[i] + 1);
    series.style = row.run_numbers[i];
    series.markers = false;
    series.thin = true;
    series.steps = true;
    for (std::size_t place = 0; place < quantiles.size(); ++place)
      series.points.push_back(
          {static_cast<double>(quantiles[place]),
           static_cast<double>(place) / static_cast<double>(quantiles.size() - 1)});
    chart.series.push_back(std::move(series));
  }
  return figure(chart, quantile_table(row, primary.unit));
}

std::string rank_table(const RankGrid& grid, const std::vector<RankInfo>& ranks) {
  std::vector<std::size_t> order(grid.ranks);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t rank) { return grid.effects[rank]; });
  if (order.size() > 64) order.resize(64);
  std::vector<TableRow> lines;
  for (const std::size_t rank : order) {
    const bool known = rank < ranks.size();
    lines.push_back({{std::to_string(rank), known ? ranks[rank].node : "-",
                      known && !ranks[rank].cpuset.empty() ? ranks[rank].cpuset : "-",
                      units::percent_change(static_cast<double>(grid.effects[rank])),
                      fmt::format("{:.0f} %", 100 * static_cast<double>(grid.slowest[rank]))},
                     ""});
  }
  return table(fmt::format("Ranks, slowest first: {} against the middle of all ranks", grid.metric),
               {{"rank", true},
                {"node"},
                {"cores"},
                {"difference", true},
                {"has the largest value in", true}},
               lines);
}

}  // namespace

std::string distributions(const std::vector<Group>& groups) {
  std::vector<const Row*> chosen;
  for (const Group& group : groups) {
    const auto widest =
        std::ranges::max_element(group.rows, {}, [](const Row* row) { return spread_of(*row); });
    if (widest != group.rows.end() && spread_of(**widest) > 0) chosen.push_back(*widest);
  }
  std::ranges::stable_sort(chosen, std::ranges::greater(),
                           [](const Row* row) { return spread_of(*row); });
  if (chosen.size() > kMaxDistributions) chosen.resize(kMaxDistributions);
  std::string html;
  for (const Row* row : chosen) {
    const std::string one = distribution(*row);
    if (html.size() + one.size() < kDrawingBytes) html += one;
  }
  if (html.empty()) return {};
  return fmt::format(
      "{}<div class=\"grid\">\n{}</div>\n",
      note("The case with the widest spread of each benchmark. Separate lines of several runs: "
           "runs differ by more than their iterations do, so only more runs help."),
      html);
}

std::string rank_maps(const std::vector<Row>& rows, std::span<const RunExtract> runs) {
  struct Chosen {
    const CaseExtract* from;
    const Row* row;
    std::size_t run;
  };
  std::vector<Chosen> chosen;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.cases.size(); ++i) {
      if (row.cases[i]->grid) chosen.push_back({row.cases[i], &row, row.run_numbers[i]});
    }
  }
  // Prefer the ranks' own work: it shows more than the time they wait for each other.
  std::ranges::stable_sort(chosen, [](const Chosen& x, const Chosen& y) {
    const RankGrid &one = *x.from->grid, &other = *y.from->grid;
    if (one.collective != other.collective) return !one.collective;
    return one.imbalance > other.imbalance;
  });
  std::string html;
  std::size_t count = 0;
  for (const Chosen& one : chosen) {
    if (count == kMaxMaps) break;
    const std::string title =
        runs.size() > 1 ? fmt::format("{}, run {}", one.row->name, one.run + 1) : one.row->name;
    const RankGrid& grid = *one.from->grid;
    const std::string map = heat_map(grid, title, axes_of(*one.row),
                                     rank_table(grid, placement_of(*one.from, runs[one.run])));
    if (html.size() + map.size() > kDrawingBytes) break;
    html += map;
    ++count;
  }
  if (html.empty()) return {};
  return fmt::format(
      "{}{}<div class=\"grid\">\n{}</div>\n",
      note("Each line is a rank, each column some iterations. A horizontal stripe is a slow rank, "
           "a vertical stripe an iteration that was slow on all ranks, a change from left to right "
           "drift. A cell shows the value farthest from the median of the case."),
      heat_legend(), html);
}

}  // namespace scalemark::html
