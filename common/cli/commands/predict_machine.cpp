// SPDX-License-Identifier: Apache-2.0
// Compares the rows of a step's operations on two machines.
#include "common/cli/commands/predict_machine.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
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
#include "common/cli/commands/predict_training.hpp"
#include "common/cli/commands/two_machines.hpp"
#include "common/cli/terminal.hpp"
#include "common/predict/step_parts.hpp"
#include "common/stats/summary.hpp"
#include "common/text/cells.hpp"
#include "common/text/table.hpp"

namespace scalemark::cli {
namespace {

using nlohmann::ordered_json;

/// A training's step here, where it was measured, and there, on the other machine.
struct OnMachine {
  std::string key;
  TwoMachines::Steps steps;
  std::optional<double> measured;  ///< s of a step there

  double step() const { return predict::step_elsewhere(steps.here, steps.there); }
  double error() const { return step() / *measured - 1; }
  /// By the rates of products and memory alone.
  std::optional<double> step_by_roofs() const {
    if (!steps.by_roofs) return std::nullopt;
    return predict::step_elsewhere(steps.here, *steps.by_roofs);
  }
};

bool is_meant(const Training& training, const Benchmark& benchmark, const RowTargets& targets) {
  const bool has_ranks = targets.ranks.empty() || training.point.integer("ranks") == 1;
  return training.benchmark == &benchmark && has_ranks && has_words(training.point, targets.words);
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
  for (const predict::StepComponent& part : one.steps.here.components) {
    const predict::StepComponent* const there = one.steps.there.find(part.name);
    std::string source = part.source;
    if (there != nullptr && there->estimated > 0)
      source += fmt::format(": {} of {} scaled by the rooflines", there->estimated, there->known());
    add(part.name, part.seconds, there == nullptr ? 0 : there->seconds, source);
  }
  add("sum", one.steps.here.explained, one.steps.there.explained, "");
  add("step", one.steps.here.measured, one.step(), "measured, predicted");
  text::print_text_table({{.header = "component"},
                          {.header = "here", .number = true},
                          {.header = "there", .number = true},
                          {.header = "factor", .number = true},
                          {.header = "source"}},
                         table, table_width(), std::cout);
  fmt::print(std::cout,
             "The step there takes as many times longer as its rows. What they do not explain here "
             "({:.1f} %) is scaled like them: without it {}.\n",
             100 * one.steps.here.share(one.steps.here.rest()),
             units::seconds(one.steps.there.explained, 4));
  if (const std::optional<double> by_roofs = one.step_by_roofs())
    fmt::print(std::cout,
               "By the rates of products and memory alone it takes {}, {} against the rows.\n",
               units::seconds(*by_roofs, 4), units::percent_change(*by_roofs / one.step()));
  if (one.measured)
    fmt::print(std::cout, "Measured there: {}. The prediction is {} off.\n",
               units::seconds(*one.measured, 4), units::percent_change(1 + one.error()));
}

ordered_json json_on_machine(const OnMachine& one) {
  ordered_json components = ordered_json::array();
  for (const predict::StepComponent& part : one.steps.here.components) {
    const predict::StepComponent* const there = one.steps.there.find(part.name);
    components.push_back(
        {{"name", part.name},
         {"source", part.source},
         {"here", text::json_number(part.seconds)},
         {"there", there == nullptr ? ordered_json() : text::json_number(there->seconds)},
         {"scaled", there == nullptr ? 0 : there->estimated}});
  }
  return {{"key", text::json_text(one.key)},
          {"components", components},
          {"step_here", text::json_number(one.steps.here.measured)},
          {"rows_here", text::json_number(one.steps.here.explained)},
          {"rows_there", text::json_number(one.steps.there.explained)},
          {"step", text::json_number(one.step())},
          {"step_by_roofs",
           one.steps.by_roofs ? text::json_number(*one.step_by_roofs()) : ordered_json()},
          {"measured", one.measured ? text::json_number(*one.measured) : ordered_json()}};
}

int no_training_here(const RowPrediction& request, const RowTargets& targets) {
  fmt::print(stderr,
             "scalemark predict: no row of {} in the files of --from whose operations are known. "
             "To measure it:\n  scalemark run '^{}$'{} -o training.h5\n",
             request.workload, request.workload, targets.options());
  return static_cast<int>(ExitCode::nothing);
}

}  // namespace

int predict_on_machine(const RowPrediction& request, const Benchmark& benchmark,
                       const std::string& format) {
  if (!request.page.empty())
    throw UsageError("--machine prints, and --output writes a page: give one of them");
  const RowTargets targets = axes_of(request, 1);
  if (std::ranges::any_of(targets.ranks, [](std::int64_t ranks) { return ranks > 1; }))
    return predict_training(request, benchmark, format);
  TwoMachines machines(request);
  print_unknown_operations("predict", machines.here().unknown_trainings());
  ordered_json json = ordered_json::array();
  bool found_any = false, is_first = true;
  for (const auto& [key, training] : machines.here().trainings()) {
    if (!is_meant(training, benchmark, targets)) continue;
    found_any = true;
    const std::optional<TwoMachines::Steps> steps = machines.explain(training);
    if (!steps) continue;
    OnMachine one{.key = key, .steps = *steps, .measured = {}};
    if (const auto known = machines.there().trainings().find(key);
        known != machines.there().trainings().end())
      one.measured = stats::median(known->second.seconds);
    if (format == "json") {
      json.push_back(json_on_machine(one));
      continue;
    }
    if (!std::exchange(is_first, false)) std::cout << "\n";
    print_on_machine(one);
  }
  if (!found_any) return no_training_here(request, targets);
  if (format == "json") std::cout << json.dump(1) << "\n";
  return static_cast<int>(machines.print_missing() ? ExitCode::ok : ExitCode::nothing);
}

}  // namespace scalemark::cli
