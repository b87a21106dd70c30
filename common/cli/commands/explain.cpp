// SPDX-License-Identifier: Apache-2.0
// Finds the rows of a step's parts, and prints what they add up to.
#include "common/cli/commands/explain.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "common/analysis/message_costs.hpp"
#include "common/base/counted.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/cli/commands/same_machine.hpp"
#include "common/cli/key_filter.hpp"
#include "common/cli/terminal.hpp"
#include "common/core/benchmark.hpp"
#include "common/predict/step_parts.hpp"
#include "common/result/software_gpu.hpp"
#include "common/result/summarise.hpp"
#include "common/stats/summary.hpp"
#include "common/store/reader.hpp"
#include "common/text/cells.hpp"
#include "common/text/table.hpp"

namespace scalemark::cli {
namespace {

using nlohmann::ordered_json;

/// What a step recorded of itself: metric, and what it is called here.
constexpr std::array<std::pair<const char*, const char*>, 2> kRecorded{
    {{"loader_wait", "wait for input"}, {"exposed_communication_time", "communication"}}};

struct Training {
  std::string key;
  const Benchmark* benchmark = nullptr;
  Point point;                             ///< with implied values
  std::vector<double> seconds;             ///< of a step, one per run
  std::map<std::string, double> recorded;  ///< s, by metric, of the last run
};

/// Seconds by key, one per run.
using Rows = std::map<std::string, std::vector<double>>;

Point with_implied(const Benchmark& benchmark, Point point) {
  for (const Axis& axis : benchmark.axes()) {
    if (axis.implied) point.add(axis.name, *axis.implied);
  }
  return point;
}

std::optional<double> recorded_seconds(const CaseResult& one, const char* name) {
  const Metric* metric = one.find(name);
  if (metric == nullptr || metric->unit != "s") return std::nullopt;
  const double value = median_of(one, *metric);
  return std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
}

class StepRows {
 public:
  void read(const std::filesystem::path& file) {
    Run header;
    visit_run(file, {},
              {.header =
                   [&](Run run) {
                     refuse_software_gpu(run);
                     machine_.expect(file, run);
                     header = std::move(run);
                   },
               .one_case = [&](const CaseResult& one) { add(one); }});
  }

  Rows rows;
  std::map<std::string, Training> trainings;

 private:
  void add(const CaseResult& one) {
    const std::optional<double> seconds = analysis::operation_seconds(one);
    const Benchmark* benchmark = Registry::instance().find(one.name);
    if (!seconds || benchmark == nullptr) return;
    const Point point = with_implied(*benchmark, one.params);
    if (benchmark->workload_for(point).empty()) {
      rows[one.key].push_back(*seconds);
      return;
    }
    Training& training = trainings[one.key];
    training.key = one.key;
    training.benchmark = benchmark;
    training.point = point;
    training.seconds.push_back(*seconds);
    for (const auto& [metric, name] : kRecorded) {
      if (const auto value = recorded_seconds(one, metric)) training.recorded[metric] = *value;
    }
  }

  SameMachine machine_;
};

const Benchmark& benchmark_of(const WorkloadPart& part) {
  const Benchmark* found = Registry::instance().find(part.benchmark);
  if (found == nullptr) throw Error(fmt::format("no benchmark '{}'", part.benchmark));
  return *found;
}

struct Explained {
  predict::StepExplanation step;
  std::vector<WorkloadPart> missing;
};

Explained explain(const Training& training, const Rows& rows) {
  std::vector<predict::StepTerm> terms;
  Explained result;
  for (const WorkloadPart& part : training.benchmark->workload_for(training.point)) {
    const auto row = rows.find(benchmark_of(part).key_of(part.point));
    predict::StepTerm term{.component = part.component,
                           .source = part.benchmark,
                           .count = static_cast<double>(part.count)};
    if (row == rows.end())
      result.missing.push_back(part);
    else
      term.seconds = stats::median(row->second);
    terms.push_back(std::move(term));
  }
  for (const auto& [metric, name] : kRecorded) {
    const auto found = training.recorded.find(metric);
    if (found == training.recorded.end()) continue;
    terms.push_back({.component = name, .source = metric, .count = 1, .seconds = found->second});
  }
  result.step = predict::explain_step(terms, stats::median(training.seconds));
  return result;
}

/// Commands that measure the parts, as few as lists of one axis allow.
std::vector<std::string> commands_for(const std::vector<WorkloadPart>& missing) {
  std::vector<std::string> commands;
  std::set<std::string> benchmarks;
  for (const WorkloadPart& part : missing) benchmarks.insert(part.benchmark);
  for (const std::string& name : benchmarks) {
    std::map<std::string, std::set<std::string>> values;  // by axis
    for (const WorkloadPart& part : missing) {
      if (part.benchmark != name) continue;
      for (const auto& [axis, value] : part.point) values[axis].insert(to_text(value));
    }
    const std::string listed = std::ranges::max_element(values, {}, [](const auto& one) {
                                 return one.second.size();
                               })->first;
    std::map<std::string, std::vector<std::string>> lists;  // by the other axes
    for (const WorkloadPart& part : missing) {
      if (part.benchmark != name) continue;
      std::string others;
      for (const auto& [axis, value] : part.point) {
        if (axis != listed) others += fmt::format(" -a {}={}", axis, to_text(value));
      }
      const Value* value = part.point.find(listed);
      if (value != nullptr) lists[others].push_back(to_text(*value));
    }
    for (const auto& [others, list] : lists)
      commands.push_back(fmt::format("scalemark run '^{}$'{} -a {}={}", name, others, listed,
                                     text::join(list, ",")));
  }
  return commands;
}

void print_step(const std::string& key, const Explained& explained, std::ostream& out) {
  const predict::StepExplanation& step = explained.step;
  fmt::print(out, "{}\n", text::printable(key, 400));
  std::vector<text::TextRow> table;
  const auto share = [&](double seconds) {
    return fmt::format("{:.1f} %", 100 * step.share(seconds));
  };
  for (const predict::StepComponent& one : step.components) {
    const bool known = one.measured > 0;
    const std::string source = one.missing == 0
                                   ? one.source
                                   : fmt::format("{}: {} of {} rows are missing", one.source,
                                                 one.missing, one.missing + one.measured);
    table.push_back({.cells = {one.name, fmt::format("{:g}", one.count),
                               known ? units::seconds(one.seconds, 4) : "-",
                               known ? share(one.seconds) : "-", source},
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
}

ordered_json json_of(const std::string& key, const Explained& explained) {
  ordered_json components = ordered_json::array();
  for (const predict::StepComponent& one : explained.step.components)
    components.push_back({{"name", one.name},
                          {"source", one.source},
                          {"operations", one.count},
                          {"seconds", text::json_number(one.seconds)},
                          {"rows", one.measured},
                          {"missing", one.missing}});
  return {{"key", text::json_text(key)},
          {"components", components},
          {"explained", text::json_number(explained.step.explained)},
          {"step", text::json_number(explained.step.measured)},
          {"rest", text::json_number(explained.step.rest())},
          {"bound", predict::what_bounds(explained.step)},
          {"missing", commands_for(explained.missing)}};
}

/// On standard error, so that JSON stays JSON.
void print_missing(const std::vector<WorkloadPart>& missing) {
  const std::vector<std::string> commands = commands_for(missing);
  fmt::print(stderr, "scalemark show: {} of parts of a step are missing. To measure them:\n",
             text::counted(missing.size(), "row"));
  for (std::size_t i = 0; i < commands.size(); ++i)
    fmt::print(stderr, "  {} -o rows-{}.h5\n", commands[i], i + 1);
}

}  // namespace

int explain_runs(const std::vector<std::filesystem::path>& files, const std::string& filter,
                 const std::string& format) {
  StepRows gatherer;
  for (const std::filesystem::path& file : files) gatherer.read(file);
  if (gatherer.trainings.empty()) {
    fmt::print(stderr,
               "scalemark show: no row here is of a training whose operations are known: "
               "imaging/train\n");
    return static_cast<int>(ExitCode::nothing);
  }
  KeyFilter selection(filter);
  for (const auto& [key, training] : gatherer.trainings)
    selection.look_at(key, training.benchmark->name());
  selection.settle();
  std::vector<WorkloadPart> missing;
  ordered_json json = ordered_json::array();
  bool is_first = true;
  for (const auto& [key, training] : gatherer.trainings) {
    if (!selection.takes_all() && !selection.has(key)) continue;
    const Explained explained = explain(training, gatherer.rows);
    for (const WorkloadPart& part : explained.missing) {
      const bool is_known = std::ranges::any_of(missing, [&](const WorkloadPart& one) {
        return one.benchmark == part.benchmark && one.point == part.point;
      });
      if (!is_known) missing.push_back(part);
    }
    if (format == "json") {
      json.push_back(json_of(key, explained));
      continue;
    }
    if (!std::exchange(is_first, false)) std::cout << "\n";
    print_step(key, explained, std::cout);
  }
  if (format == "json") std::cout << json.dump(1) << "\n";
  if (missing.empty()) return static_cast<int>(ExitCode::ok);
  print_missing(missing);
  return static_cast<int>(ExitCode::nothing);
}

}  // namespace scalemark::cli
