// SPDX-License-Identifier: Apache-2.0
// Prints what the operations of a step add up to, and the commands that measure missing ones.
#include "common/cli/commands/explain.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/cli/commands/explain_rows.hpp"
#include "common/cli/commands/missing_rows.hpp"
#include "common/cli/key_filter.hpp"
#include "common/cli/terminal.hpp"
#include "common/text/cells.hpp"
#include "common/text/table.hpp"

namespace scalemark::cli {
namespace {

using nlohmann::ordered_json;

/// The benchmark, and how many of its terms have no row of their own.
std::string source_of(const predict::StepComponent& one) {
  std::vector<std::string> others;
  const std::size_t all = one.known() + one.missing;
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) others.push_back(fmt::format("{} of {} {}", count, all, what));
  };
  add(one.missing, "rows are missing");
  add(one.interpolated, "interpolated");
  add(one.estimated, "by a roofline");
  return others.empty() ? one.source : one.source + ": " + text::join(others, ", ");
}

/// How long the longest component would take in another layout.
std::string text_of(const OtherLayout& other, const predict::StepExplanation& step) {
  const double now = step.components.front().seconds;
  return fmt::format("With layout={}, {} would take {} ({}).", other.layout, other.component,
                     units::seconds(other.seconds, 4), units::percent_change(other.seconds / now));
}

ordered_json json_of(const std::optional<OtherLayout>& other) {
  if (!other) return {};
  return {{"component", other->component},
          {"layout", other->layout},
          {"seconds", text::json_number(other->seconds)}};
}

void print_step(const std::string& key, const Explained& explained, std::ostream& out) {
  const predict::StepExplanation& step = explained.step;
  fmt::print(out, "{}\n", text::printable(key, 400));
  std::vector<text::TextRow> table;
  const auto share = [&](double seconds) {
    return fmt::format("{:.1f} %", 100 * step.share(seconds));
  };
  for (const predict::StepComponent& one : step.components) {
    const bool known = one.known() > 0;
    table.push_back({.cells = {one.name, fmt::format("{:g}", one.count),
                               known ? units::seconds(one.seconds, 4) : "-",
                               known ? share(one.seconds) : "-", source_of(one)},
                     .color = {}});
  }
  const auto total = [&](const char* name, double seconds) {
    table.push_back(
        {.cells = {name, "", units::seconds(seconds, 4), share(seconds), ""}, .color = {}});
  };
  total("sum", step.explained);
  total("step", step.measured);
  total("not explained", step.rest());
  text::print_text_table({{.header = "component"},
                          {.header = "operations", .number = true},
                          {.header = "time", .number = true},
                          {.header = "share", .number = true},
                          {.header = "source"}},
                         table, table_width(), out);
  fmt::print(out, "{}\n", predict::what_bounds(step));
  if (explained.other_layout) fmt::print(out, "{}\n", text_of(*explained.other_layout, step));
}

ordered_json json_of(const std::string& key, const Explained& explained) {
  ordered_json components = ordered_json::array();
  for (const predict::StepComponent& one : explained.step.components)
    components.push_back({{"name", one.name},
                          {"source", one.source},
                          {"operations", one.count},
                          {"seconds", text::json_number(one.seconds)},
                          {"rows", one.measured},
                          {"interpolated", one.interpolated},
                          {"estimated", one.estimated},
                          {"missing", one.missing},
                          {"reached", one.reached()}});
  ordered_json phases = ordered_json::array();
  for (const StepPhase phase : kStepPhases) {
    const predict::PhaseTimes& times = explained.step.phases.at(static_cast<std::size_t>(phase));
    phases.push_back({{"name", name_of(phase)},
                      {"issued", text::json_number(times.issued)},
                      {"on_gpu", text::json_number(times.on_gpu)}});
  }
  return {{"key", text::json_text(key)},
          {"components", components},
          {"phases", phases},
          {"explained", text::json_number(explained.step.explained)},
          {"issued", text::json_number(explained.step.enqueued().issued)},
          {"on_gpu", text::json_number(explained.step.enqueued().on_gpu)},
          {"step", text::json_number(explained.step.measured)},
          {"rest", text::json_number(explained.step.rest())},
          {"bound", predict::what_bounds(explained.step)},
          {"other_layout", json_of(explained.other_layout)},
          {"estimated", measuring_commands(explained.estimated)},
          {"missing", measuring_commands(explained.missing)}};
}

}  // namespace

int explain_runs(const std::vector<std::filesystem::path>& files, const std::string& filter,
                 const std::string& format) {
  StepRows rows;
  for (const std::filesystem::path& file : files) rows.read(file);
  if (rows.trainings().empty() && rows.unknown_trainings().empty()) {
    fmt::print(stderr,
               "scalemark show: no row here is of imaging/train or llm/finetune, whose operations "
               "are known\n");
    return static_cast<int>(ExitCode::nothing);
  }
  KeyFilter selection(filter);
  for (const auto& [key, training] : rows.trainings())
    selection.look_at(key, training.benchmark->name());
  for (const auto& [key, reason] : rows.unknown_trainings())
    selection.look_at(key, key.substr(0, key.find(' ')));
  selection.settle();
  std::map<std::string, std::string> unknown = rows.unknown_trainings();
  std::erase_if(unknown, [&](const auto& one) { return !selection.has(one.first); });
  print_unknown_operations("show", unknown);
  if (rows.trainings().empty()) return static_cast<int>(ExitCode::nothing);
  std::vector<WorkloadPart> missing, estimated;
  ordered_json json = ordered_json::array();
  bool is_first = true;
  for (const auto& [key, training] : rows.trainings()) {
    if (!selection.has(key)) continue;
    const Explained explained = rows.explain(training);
    add_missing(explained.missing, missing);
    add_missing(explained.estimated, estimated);
    if (format == "json") {
      json.push_back(json_of(key, explained));
      continue;
    }
    if (!std::exchange(is_first, false)) std::cout << "\n";
    print_step(key, explained, std::cout);
  }
  if (format == "json") std::cout << json.dump(1) << "\n";
  if (!estimated.empty()) print_estimated_rows("show", estimated);
  if (missing.empty()) return static_cast<int>(ExitCode::ok);
  print_missing_rows("show", missing, "", measuring_commands(estimated).size() + 1);
  return static_cast<int>(ExitCode::nothing);
}

}  // namespace scalemark::cli
