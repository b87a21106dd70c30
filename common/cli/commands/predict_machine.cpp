// SPDX-License-Identifier: Apache-2.0
// Compares the rows of a step's operations on two machines.
#include "common/cli/commands/predict_machine.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/cli/commands/explain_rows.hpp"
#include "common/cli/commands/missing_rows.hpp"
#include "common/cli/commands/predict_rows.hpp"
#include "common/cli/commands/predict_targets.hpp"
#include "common/cli/terminal.hpp"
#include "common/predict/step_parts.hpp"
#include "common/stats/summary.hpp"
#include "common/store/reader.hpp"
#include "common/text/cells.hpp"
#include "common/text/table.hpp"

namespace scalemark::cli {
namespace {

using nlohmann::ordered_json;

/// A training's step here, where it was measured, and there, on the other machine.
struct OnMachine {
  std::string key;
  Explained here, there;
  std::optional<double> measured;  ///< s of a step there

  double step() const { return predict::step_elsewhere(here.step, there.step); }
  double error() const { return step() / *measured - 1; }
};

StepRows rows_of(const std::vector<std::string>& paths) {
  StepRows rows;
  for (const std::string& path : paths) {
    for (const std::filesystem::path& file : find_runs(path)) rows.read(file);
  }
  return rows;
}

bool is_meant(const Training& training, const Benchmark& benchmark, const RowTargets& targets) {
  const bool has_ranks = targets.ranks.empty() ||
                         std::ranges::count(targets.ranks, training.point.integer("ranks")) > 0;
  return training.benchmark == &benchmark && has_ranks && has_words(training.point, targets.words);
}

std::vector<OnMachine> explain_both(const RowPrediction& request, const RowTargets& targets,
                                    const Benchmark& benchmark) {
  const StepRows here = rows_of(request.files), there = rows_of(request.machine);
  std::vector<OnMachine> all;
  for (const auto& [key, training] : here.trainings()) {
    if (!is_meant(training, benchmark, targets)) continue;
    const auto none = [](const WorkloadPart&) { return std::nullopt; };
    OnMachine one{key, here.explain(training, none), there.explain(training, here), {}};
    if (const auto known = there.trainings().find(key); known != there.trainings().end())
      one.measured = stats::median(known->second.seconds);
    all.push_back(std::move(one));
  }
  return all;
}

void print_on_machine(const OnMachine& one) {
  fmt::print(std::cout, "{}\n", text::printable(one.key, 400));
  std::vector<text::TextRow> table;
  const auto add = [&](const std::string& name, double here, double there,
                       const std::string& source) {
    table.push_back({.cells = {name, units::seconds(here, 4), units::seconds(there, 4),
                               here > 0 ? fmt::format("{:.2f}", there / here) : "-", source},
                     .color = {}});
  };
  for (const predict::StepComponent& part : one.here.step.components) {
    const predict::StepComponent* const there = one.there.step.find(part.name);
    std::string source = part.source;
    if (there != nullptr && there->estimated > 0)
      source += fmt::format(": {} of {} scaled by the rooflines", there->estimated, there->known());
    add(part.name, part.seconds, there == nullptr ? 0 : there->seconds, source);
  }
  add("sum", one.here.step.explained, one.there.step.explained, "");
  add("step", one.here.step.measured, one.step(), "measured, predicted");
  text::print_text_table({{.header = "component"},
                          {.header = "here", .number = true},
                          {.header = "there", .number = true},
                          {.header = "factor", .number = true},
                          {.header = "source"}},
                         table, table_width(), std::cout);
  fmt::print(std::cout,
             "The step there takes as many times longer as its rows. What they do not explain here "
             "({:.1f} %) is scaled like them: without it {}.\n",
             100 * one.here.step.share(one.here.step.rest()),
             units::seconds(one.there.step.explained, 4));
  if (one.measured)
    fmt::print(std::cout, "Measured there: {}. The prediction is {} off.\n",
               units::seconds(*one.measured, 4), units::percent_change(1 + one.error()));
}

ordered_json json_on_machine(const OnMachine& one) {
  ordered_json components = ordered_json::array();
  for (const predict::StepComponent& part : one.here.step.components) {
    const predict::StepComponent* const there = one.there.step.find(part.name);
    components.push_back(
        {{"name", part.name},
         {"source", part.source},
         {"here", text::json_number(part.seconds)},
         {"there", there == nullptr ? ordered_json() : text::json_number(there->seconds)},
         {"scaled", there == nullptr ? 0 : there->estimated}});
  }
  return {{"key", text::json_text(one.key)},
          {"components", components},
          {"step_here", text::json_number(one.here.step.measured)},
          {"rows_here", text::json_number(one.here.step.explained)},
          {"rows_there", text::json_number(one.there.step.explained)},
          {"step", text::json_number(one.step())},
          {"measured", one.measured ? text::json_number(*one.measured) : ordered_json()}};
}

int no_training_here(const RowPrediction& request, const RowTargets& targets) {
  std::string where, why, launcher, axes = targets.options();
  if (!targets.ranks.empty()) {
    std::vector<std::string> ranks;
    for (const std::int64_t one : targets.ranks) ranks.push_back(std::to_string(one));
    const std::string list = text::join(ranks, ",");
    where = fmt::format(" on {} ranks", list);
    why = "; --machine cannot change the number of ranks";
    launcher = fmt::format("mpirun -n {} ", std::ranges::max(targets.ranks));
    axes.insert(0, " -a ranks=" + list);
  }
  fmt::print(stderr,
             "scalemark predict: no row of {}{} in the files of --from whose operations are "
             "known{}. To measure it:\n  {}scalemark run '^{}$'{} -o training.h5\n",
             request.workload, where, why, launcher, request.workload, axes);
  return static_cast<int>(ExitCode::nothing);
}

}  // namespace

int predict_on_machine(const RowPrediction& request, const Benchmark& benchmark,
                       const std::string& format) {
  if (!request.page.empty())
    throw UsageError("--machine prints, and --output writes a page: give one of them");
  const RowTargets targets = axes_of(request, 1);
  const std::vector<OnMachine> all = explain_both(request, targets, benchmark);
  if (all.empty()) return no_training_here(request, targets);
  std::vector<WorkloadPart> missing_here, missing_there;
  ordered_json json = ordered_json::array();
  bool is_first = true;
  for (const OnMachine& one : all) {
    add_missing(one.here.missing, missing_here);
    add_missing(one.there.missing, missing_there);
    if (!one.here.missing.empty() || !one.there.missing.empty()) continue;
    if (format == "json") {
      json.push_back(json_on_machine(one));
      continue;
    }
    if (!std::exchange(is_first, false)) std::cout << "\n";
    print_on_machine(one);
  }
  if (format == "json") std::cout << json.dump(1) << "\n";
  if (!missing_here.empty()) print_missing_rows("predict", missing_here, " in the files of --from");
  if (!missing_there.empty())
    print_missing_rows("predict", missing_there, " in the files of --machine");
  const bool is_complete = missing_here.empty() && missing_there.empty();
  return static_cast<int>(is_complete ? ExitCode::ok : ExitCode::nothing);
}

}  // namespace scalemark::cli
