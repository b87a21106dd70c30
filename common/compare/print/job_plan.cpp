// SPDX-License-Identifier: Apache-2.0
// Prints a plan of a job as text and JSON.
#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/base/counted.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/compare/print/planning.hpp"
#include "common/text/cells.hpp"
#include "common/text/fit.hpp"
#include "common/text/table.hpp"

namespace scalemark::compare {
namespace {

using nlohmann::ordered_json;

std::string memory_cell(std::uint64_t bytes) { return bytes == 0 ? "-" : units::bytes(bytes); }

bool is_predicted(const JobRow& row) { return !row.measured && row.planned.predicted; }

/// Measured; or "~" and the prediction, which may be a lower bound, else may have an interval.
std::string figure_cell(const JobRow& row) {
  if (row.measured) return units::quantity(row.value, row.unit);
  if (!is_predicted(row)) return "-";
  std::string cell =
      (row.planned.is_bound ? "~ >= " : "~ ") + units::seconds(*row.planned.predicted, 3);
  if (const auto& interval = row.planned.interval)
    cell += fmt::format(" [{}, {}]", units::seconds(interval->first, 3),
                        units::seconds(interval->second, 3));
  return cell;
}

/// Measured, predicted, or at most.
std::string time_cell(const JobRow& row) {
  if (std::isfinite(row.seconds)) return job_time(row.seconds);
  if (row.planned.duration) return "~ " + job_time(*row.planned.duration);
  return row.planned.longest ? "<= " + job_time(*row.planned.longest) : "-";
}

void print_job_rows(const JobPlan& plan, const PlanPrintOptions& options, std::ostream& out) {
  const bool has_sources = std::ranges::any_of(plan.rows, is_predicted);
  std::vector<text::TextColumn> columns{
      {.header = "figure", .number = true},
      {.header = "spread %", .number = true},
      {.header = fmt::format("runs for {:g} %", 100 * plan.options.effect), .number = true},
      {.header = "memory/rank", .number = true},
      {.header = "time", .number = true},
      {.header = "case", .shrinks = true},
      {.header = "metric", .aside = true}};
  if (has_sources) columns.insert(columns.begin() + 1, {.header = "source"});
  std::vector<text::TextRow> table;
  for (const JobRow& row : plan.rows) {
    table.push_back(
        {.cells = {figure_cell(row), plain_percent(row.spread),
                   row.runs_needed ? text::needed_runs_cell(*row.runs_needed) : "-",
                   memory_cell(row.planned.memory), time_cell(row), row.planned.key, row.metric},
         .color = {}});
    if (has_sources) {
      std::vector<std::string>& cells = table.back().cells;
      cells.insert(cells.begin() + 1, is_predicted(row) ? row.planned.source : "-");
    }
  }
  text::print_text_table(columns, table, options.width, out);
}

/// What predicted figures stand for, and how far the farthest is from its rows.
void print_predictions(const JobPlan& plan, std::ostream& out) {
  const JobCase* farthest = nullptr;
  bool has_interval = false;
  for (const JobRow& row : plan.rows) {
    if (!is_predicted(row)) continue;
    has_interval |= row.planned.interval.has_value();
    if (farthest == nullptr || row.planned.beyond > farthest->beyond) farthest = &row.planned;
  }
  if (farthest == nullptr) return;
  fmt::print(
      out,
      "~: predicted from rows on other ranks or of other sizes, as `scalemark predict` does.{}{}\n",
      has_interval ? " In brackets: the interval of 90 %." : "",
      plan.predicted > 0
          ? " The time of a training is that of its steps, and of the rest on the ranks it is "
            "predicted from."
          : "");
  if (!farthest->reach.empty()) fmt::print(out, "{}\n", farthest->reach);
}

/// What figures stand for, and cases that ran but have no value, most often because memory or a
/// device was missing.
void print_notes(const JobPlan& plan, std::ostream& out) {
  print_predictions(plan, out);
  std::map<std::string, std::size_t> counts;  // by reason
  for (const JobRow& row : plan.rows) {
    if (!row.reason.empty()) ++counts[text::printable(row.reason, 200)];
  }
  for (const auto& [reason, count] : counts)
    fmt::print(out, "no figure so far for {}: {}\n", text::counted(count, "case"), reason);
}

void print_job_cost(const JobPlan& plan, std::ostream& out) {
  fmt::print(out, "one run: {} for {}", job_time(plan.measured_seconds),
             text::counted(plan.measured, "case") + " timed before");
  if (plan.predicted > 0)
    fmt::print(out, ", about {} for {} predicted", job_time(plan.predicted_seconds),
               text::counted(plan.predicted, "training"));
  if (plan.bounded > 0)
    fmt::print(out, ", at most {} of sampling for {}", job_time(plan.bounded_seconds),
               text::counted(plan.bounded, "other"));
  if (plan.unknown > 0)
    fmt::print(out, "; {} of unknown length", text::counted(plan.unknown, "case"));
  fmt::print(out, ". The start of the program comes on top.\n");
  for (const JobLine& line : plan.lines) {
    fmt::print(out, "  {} runs: {}{}, {:.3g} node-hours", line.runs,
               plan.unknown > 0 ? "more than " : "", job_time(line.seconds), line.node_hours);
    if (plan.runs > 0)
      fmt::print(out, "; {:g} % found in {} of {}", 100 * plan.options.effect, line.rows_found,
                 text::counted(plan.rows.size(), "row"));
    fmt::print(out, "\n");
  }
}

void print_job_memory(const JobPlan& plan, const JobShape& shape, std::ostream& out) {
  const JobRow* const largest = plan.largest();
  if (largest == nullptr) return;
  const std::uint64_t bytes = largest->planned.memory;
  fmt::print(out, "memory: at most {} per rank, {} per node: {}\n", units::bytes(bytes),
             units::bytes(bytes * static_cast<std::uint64_t>(shape.ranks_per_node)),
             largest->planned.key);
}

void print_text(const JobPlan& plan, const JobShape& shape, const PlanPrintOptions& options,
                std::ostream& out) {
  fmt::print(out, "{} on {}, {}, from {}\n", text::counted(plan.rows.size(), "case"),
             text::counted(static_cast<std::size_t>(shape.ranks), "rank"),
             text::counted(static_cast<std::size_t>(plan.options.nodes), "node"),
             text::counted(plan.runs, "earlier run"));
  if (plan.runs == 1)
    fmt::print(out, "note: one run does not tell how much runs vary; plan from 5\n");
  print_job_rows(plan, options, out);
  print_notes(plan, out);
  print_job_memory(plan, shape, out);
  print_job_cost(plan, out);
}

}  // namespace

ordered_json to_json(const JobPlan& plan, const JobShape& shape) {
  ordered_json rows = ordered_json::array(), lines = ordered_json::array();
  for (const JobRow& row : plan.rows) {
    rows.push_back(
        {{"key", row.planned.key},
         {"metric", text::json_text(row.metric)},
         {"unit", text::json_text(row.unit)},
         {"value", text::json_number(row.value)},
         {"spread", text::json_number(row.spread)},
         {"runs_needed", row.runs_needed ? ordered_json(*row.runs_needed) : ordered_json()},
         {"memory", row.planned.memory},
         {"seconds", text::json_number(row.seconds)},
         {"predicted",
          row.planned.predicted ? text::json_number(*row.planned.predicted) : ordered_json()},
         {"low",
          row.planned.interval ? text::json_number(row.planned.interval->first) : ordered_json()},
         {"high",
          row.planned.interval ? text::json_number(row.planned.interval->second) : ordered_json()},
         {"is_bound", row.planned.is_bound},
         {"source", text::json_text(row.planned.source)},
         {"predicted_seconds",
          row.planned.duration ? text::json_number(*row.planned.duration) : ordered_json()},
         {"beyond_measured_ranks",
          row.planned.predicted ? text::json_number(row.planned.beyond) : ordered_json()},
         {"longest",
          row.planned.longest ? text::json_number(*row.planned.longest) : ordered_json()},
         {"reason", text::json_text(row.reason)}});
  }
  for (const JobLine& line : plan.lines)
    lines.push_back({{"runs", line.runs},
                     {"seconds", text::json_number(line.seconds)},
                     {"node_hours", text::json_number(line.node_hours)},
                     {"rows_found", line.rows_found}});
  return {{"format", "scalemark-job-plan"},
          {"version", 1},
          {"ranks", shape.ranks},
          {"nodes", plan.options.nodes},
          {"earlier_runs", plan.runs},
          {"effect", plan.options.effect},
          {"measured", plan.measured},
          {"predicted", plan.predicted},
          {"bounded", plan.bounded},
          {"unknown", plan.unknown},
          {"measured_seconds", text::json_number(plan.measured_seconds)},
          {"predicted_seconds", text::json_number(plan.predicted_seconds)},
          {"bounded_seconds", text::json_number(plan.bounded_seconds)},
          {"plan", std::move(lines)},
          {"rows", std::move(rows)}};
}

void print_job_plan(const JobPlan& plan, const JobShape& shape, std::string_view format,
                    std::ostream& out, const PlanPrintOptions& options) {
  if (format == "json") {
    out << to_json(plan, shape).dump(2) << '\n';
  } else {
    std::ostringstream text;
    print_text(plan, shape, options, text);
    out << text::wrapped(text.view(), options.width);
  }
  out.flush();
}

}  // namespace scalemark::compare
