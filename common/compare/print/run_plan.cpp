// SPDX-License-Identifier: Apache-2.0
// Prints a run plan as text and JSON.
#include <algorithm>
#include <cmath>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/base/counted.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/compare/print/planning.hpp"
#include "common/text/cells.hpp"
#include "common/text/fit.hpp"
#include "common/text/table.hpp"

namespace scalemark::compare {
namespace {

using nlohmann::ordered_json;

/// Above this fraction, most of a row's variance comes from within runs.
constexpr double kMostlyWithin = 0.5;

void print_found(const RunPlan& plan, const std::string& title,
                 std::vector<PlanCell> PlanLine::*cells, std::ostream& out) {
  fmt::print(out, "\n{}:\n", title);
  std::vector<text::TextColumn> columns = {{"runs", true}};
  for (const double effect : plan.options.effects) {
    columns.push_back({fmt::format("{:g} %", 100 * effect), true});
    columns.push_back({"found", true});
  }
  std::vector<text::TextRow> table;
  for (const PlanLine& line : plan.lines) {
    text::TextRow row{{std::to_string(line.runs)}, ""};
    for (const PlanCell& cell : line.*cells) {
      row.cells.push_back(fmt::format("{} of {}", cell.rows, plan.rows.size()));
      row.cells.push_back(fmt::format("{:.0f} %", 100 * cell.power));
    }
    table.push_back(std::move(row));
  }
  text::print_text_table(columns, table, 0, out);
}

void print_cost(const RunPlan& plan, std::ostream& out) {
  if (!std::isfinite(plan.run_seconds)) {
    fmt::print(out,
               "\ncost: unknown, these runs do not store when their cases started and ended\n");
    return;
  }
  fmt::print(out, "\ncost per side (one run took {} on {} node{}):\n", job_time(plan.run_seconds),
             plan.nodes, plan.nodes == 1 ? "" : "s");
  for (const PlanLine& line : plan.lines) {
    fmt::print(out, "  {} runs: {}, {:.3g} node-hours", line.runs, job_time(line.seconds),
               line.node_hours);
    if (!plan.options.budget) {
      fmt::print(out, "\n");
    } else if (line.drop.empty() && line.fits) {
      fmt::print(out, ", within the budget of {}\n", job_time(*plan.options.budget));
    } else {
      fmt::print(out, ", over the budget of {}", job_time(*plan.options.budget));
      fmt::print(out, "{}\n",
                 line.drop.empty()
                     ? ""
                     : "; leave out these rows, where they would miss even the largest effect:");
      for (const PlanDrop& drop : line.drop)
        fmt::print(out, "    {} ({} per run)\n", drop.key, job_time(drop.seconds));
      fmt::print(out, "    {}\n",
                 line.fits ? "the other rows fit the budget"
                           : "still over the budget: take fewer runs, or less time per case");
    }
  }
}

void print_rows(const RunPlan& plan, const std::string& title,
                const std::vector<const PlanRow*>& rows, const PlanPrintOptions& options,
                std::ostream& out) {
  if (rows.empty()) return;
  const std::size_t shown = options.all ? rows.size() : std::min(kPlanRows, rows.size());
  fmt::print(out, "\n{} ({} of {}{}):\n", title, shown, rows.size(),
             shown < rows.size() ? "; --all shows the others" : "");
  std::vector<text::TextColumn> columns;
  for (const double effect : plan.options.effects)
    columns.push_back({fmt::format("for {:g} %", 100 * effect), true});
  for (const char* header : {"spread %", "within %", "time"}) columns.push_back({header, true});
  columns.push_back({"case", false, true});
  columns.push_back({"metric", false, false, true});
  std::vector<text::TextRow> table;
  for (std::size_t i = 0; i < shown; ++i) {
    const PlanRow& row = *rows[i];
    text::TextRow line;
    for (const std::optional<int>& runs : row.runs_needed)
      line.cells.push_back(runs ? text::needed_runs_cell(*runs) : "-");
    line.cells.push_back(plain_percent(row.spread));
    line.cells.push_back(std::isfinite(row.within) ? fmt::format("{:.0f}", 100 * row.within) : "-");
    line.cells.push_back(job_time(row.seconds));
    line.cells.push_back(row.key);
    line.cells.push_back(row.metric);
    table.push_back(std::move(line));
  }
  text::print_text_table(columns, table, options.width, out);
}

void print_text(const RunPlan& plan, const PlanPrintOptions& options, std::ostream& out) {
  fmt::print(out, "plan from {}, {}; spread of runs, median row: {} %\n",
             text::counted(plan.base_runs, "run"), text::counted(plan.rows.size(), "row"),
             plain_percent(plan.typical_spread));
  fmt::print(out,
             "threshold {:g} %; assumes that one row in ten changes; false discovery rate {:g} %\n",
             100 * plan.options.compare.threshold, 100 * plan.options.compare.alpha);
  if (plan.base_runs == 2) {
    fmt::print(out, "note: 2 runs are too few to estimate the noise well; plan from 5\n");
  }
  if (!plan.rows.empty()) {
    print_found(plan,
                "rows that show a change with 80 % power, and the mean power of all rows, by "
                "number of runs per side",
                &PlanLine::both, out);
    print_found(
        plan, fmt::format("the same, by number of new runs against the {} of BASE", plan.base_runs),
        &PlanLine::against_base, out);
    print_cost(plan, out);
  }
  std::vector<const PlanRow*> noisy, longer;
  for (const PlanRow& row : plan.rows) {
    noisy.push_back(&row);
    if (row.within >= kMostlyWithin) longer.push_back(&row);
  }
  print_rows(plan, "rows that need the most runs per side", noisy, options, out);
  print_rows(plan, "rows to lengthen: more iterations would narrow the spread of their runs",
             longer, options, out);
  if (!plan.left_out.empty()) {
    fmt::print(out, "\nnoise unknown (only one value, or a metric without a better direction):\n");
    for (const std::string& key : plan.left_out) fmt::print(out, "  {}\n", key);
  }
  out.flush();
}

ordered_json cells_json(const std::vector<PlanCell>& cells) {
  ordered_json array = ordered_json::array();
  for (const PlanCell& cell : cells)
    array.push_back({{"effect", cell.effect}, {"rows", cell.rows}, {"power", cell.power}});
  return array;
}

ordered_json line_json(const PlanLine& line) {
  ordered_json drop = ordered_json::array();
  for (const PlanDrop& one : line.drop)
    drop.push_back({{"key", one.key}, {"seconds", text::json_number(one.seconds)}});
  return {{"runs", line.runs},
          {"both_sides", cells_json(line.both)},
          {"against_base", cells_json(line.against_base)},
          {"seconds", text::json_number(line.seconds)},
          {"node_hours", text::json_number(line.node_hours)},
          {"drop", std::move(drop)},
          {"fits", line.fits}};
}

}  // namespace

std::string job_time(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds < 10) return fmt::format("{:.2g} s", seconds);
  if (seconds < 100) return fmt::format("{:.1f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.1f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

ordered_json to_json(const RunPlan& plan) {
  ordered_json lines = ordered_json::array(), rows = ordered_json::array();
  for (const PlanLine& line : plan.lines) lines.push_back(line_json(line));
  for (const PlanRow& row : plan.rows) {
    ordered_json needed = ordered_json::array();
    for (const std::optional<int>& runs : row.runs_needed)
      needed.push_back(runs ? ordered_json(*runs) : ordered_json(nullptr));
    rows.push_back({{"key", row.key},
                    {"metric", row.metric},
                    {"spread", text::json_number(row.spread)},
                    {"runs_needed", std::move(needed)},
                    {"seconds", text::json_number(row.seconds)},
                    {"within", text::json_number(row.within)}});
  }
  const RunPlanOptions& options = plan.options;
  return {
      {"format", "scalemark-run-plan"},
      {"version", 1},
      {"base_runs", plan.base_runs},
      {"nodes", plan.nodes},
      {"run_seconds", text::json_number(plan.run_seconds)},
      {"budget_seconds", options.budget ? ordered_json(*options.budget) : ordered_json(nullptr)},
      {"effects", options.effects},
      {"threshold", options.compare.threshold},
      {"alpha", options.compare.alpha},
      {"typical_spread", text::json_number(plan.typical_spread)},
      {"plan", std::move(lines)},
      {"rows", std::move(rows)},
      {"left_out", plan.left_out}};
}

void print_run_plan(const RunPlan& plan, std::string_view format, std::ostream& out,
                    const PlanPrintOptions& options) {
  if (format == "text") {
    std::ostringstream text;
    print_text(plan, options, text);
    out << text::wrapped(text.view(), options.width) << std::flush;
    return;
  }
  if (format != "json") {
    throw UsageError(fmt::format("--format is \"{}\"; with --power allowed: {}",
                                 text::printable(format, 64), text::join(plan_formats(), ", ")));
  }
  out << to_json(plan).dump(2) << '\n';
  out.flush();
}

}  // namespace scalemark::compare
