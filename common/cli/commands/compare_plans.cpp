// SPDX-License-Identifier: Apache-2.0
// `scalemark compare --aa` and `--power`.
#include "common/cli/commands/compare_plans.hpp"

#include <iostream>
#include <optional>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/cli/commands/read_digest.hpp"
#include "common/cli/numbers.hpp"
#include "common/cli/terminal.hpp"
#include "common/compare/print/planning.hpp"

namespace scalemark::cli {
namespace {

int self_test(const std::vector<std::filesystem::path>& base, const PlanOptions& options,
              const ModeRequest& request) {
  if (request.fail_on.contains("inconclusive")) {
    throw UsageError(
        "--fail-on is \"inconclusive\"; with --aa allowed: regression (a false verdict in more "
        "splits than the false discovery rate allows), failed, missing, env, none");
  }
  const compare::SelfTest test =
      compare::self_test(read_digests(base), self_test_options(request.compare));
  compare::print_self_test(test, request.format, std::cout,
                           {.all = options.all, .width = table_width()});
  const auto gates = [&](const char* name) { return request.fail_on.contains(name); };
  if (gates("regression") && test.false_table_rate() > request.compare.alpha)
    return static_cast<int>(ExitCode::worse);
  if (gates("failed") && !test.failed.empty()) return static_cast<int>(ExitCode::worse);
  if (gates("missing") && !test.incomplete.empty()) return static_cast<int>(ExitCode::worse);
  if (test.tests == 0) return static_cast<int>(ExitCode::nothing);
  if (gates("env") && !test.environment.empty()) return static_cast<int>(ExitCode::nothing);
  return static_cast<int>(ExitCode::ok);
}

int power(const std::vector<std::filesystem::path>& base, const PlanOptions& options,
          const ModeRequest& request) {
  if (!request.fail_on.empty()) {
    throw UsageError("--fail-on was given with --power, which compares nothing; allowed: none");
  }
  compare::RunPlanOptions plan_options{request.compare, options.runs, {}, std::nullopt};
  for (const double percent : options.effects_percent)
    plan_options.effects.push_back(percent / 100);
  if (!options.budget.empty()) plan_options.budget = text::parse_seconds(options.budget);
  const CostedRuns read = read_costed_runs(base);
  const compare::RunPlan plan = compare::plan_runs(read.runs, read.costs, plan_options);
  compare::print_run_plan(plan, request.format, std::cout,
                          {.all = options.all, .width = table_width()});
  return static_cast<int>(plan.rows.empty() ? ExitCode::nothing : ExitCode::ok);
}

}  // namespace

compare::SelfTestOptions self_test_options(const compare::CompareOptions& options) {
  compare::SelfTestOptions test_options;
  test_options.compare = options;
  // Future runs belong to another job, so splits whose runs happen to alternate are not pairs.
  if (test_options.compare.pairing == compare::Pairing::automatic)
    test_options.compare.pairing = compare::Pairing::no;
  return test_options;
}

std::vector<CLI::Option*> add_plan_options(CLI::App& command, PlanOptions& options) {
  CLI::Option* aa = command.add_flag("--aa", options.self_test,
                                     "Without --against: A/A test. Split the runs of BASE (at "
                                     "least 4) into two sides in all ways, of many in 200; print "
                                     "how often verdicts are false, and the "
                                     "smallest change found. Formats: text, json");
  CLI::Option* power =
      command.add_flag("--power", options.power,
                       "Without --against: power analysis. Print which changes future runs would "
                       "find, given the noise of BASE, and their cost. Formats: text, json");
  power->excludes(aa);
  CLI::Option* runs = command.add_option("--runs", options.runs,
                                         "--power: numbers of runs per side, separated by commas");
  take_number(runs, {NumberRule::Kind::integer, 2, 1000, false});
  runs->delimiter(',')->allow_extra_args(false)->capture_default_str()->needs(power);
  CLI::Option* effect =
      command.add_option("--effect", options.effects_percent,
                         "--power: changes in percent that should be found, by commas");
  take_number(effect, {NumberRule::Kind::percent, 0.001, 10000, false});
  effect->delimiter(',')->allow_extra_args(false)->capture_default_str()->needs(power);
  take_text_number(command.add_option("--budget", options.budget,
                                      "--power: time for all runs per side (90s, 30m, 2h); names "
                                      "rows to leave out if they take longer"),
                   {NumberRule::Kind::seconds, 0, NumberRule::kLongestTime, true})
      ->needs(power);
  CLI::Option* systems = command.add_option(
      "--systems", options.systems,
      "Instead of BASE: NAME=PATH of at least 2 systems, side by side with ratios to the first, "
      "fractions of peak, and ranks. Formats: text, md, json, csv");
  systems->excludes(aa)->excludes(power);
  command.add_flag("--all", options.all,
                   "Show every row in text and md: sweeps are not folded into lines");
  return {aa, power, systems};
}

int plan_runs(const std::vector<std::filesystem::path>& base, const PlanOptions& options,
              const ModeRequest& request) {
  return options.power ? power(base, options, request) : self_test(base, options, request);
}

}  // namespace scalemark::cli
