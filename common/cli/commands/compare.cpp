// SPDX-License-Identifier: Apache-2.0
// `scalemark compare`: compares runs A with runs B.
#include "common/compare/compare.hpp"

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "common/base/counted.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/cli/commands/commands.hpp"
#include "common/cli/commands/compare_plans.hpp"
#include "common/cli/commands/compare_systems.hpp"
#include "common/cli/commands/judge_options.hpp"
#include "common/cli/commands/read_digest.hpp"
#include "common/cli/numbers.hpp"
#include "common/cli/terminal.hpp"
#include "common/compare/gate.hpp"
#include "common/compare/match_axes.hpp"
#include "common/compare/print/comparison.hpp"
#include "common/html/page.hpp"

namespace scalemark::cli {
namespace {

struct CompareArguments {
  std::vector<std::filesystem::path> base, against;
  std::string format = "text";
  std::vector<std::string> fail_on = {"regression", "missing", "failed"};
  bool strict = false;
  std::size_t min_rows = 1;
  JudgeOptions judge;
  std::string color = "auto";
  PlanOptions plan;
};

compare::GateOptions gate_options(const CompareArguments& options) {
  compare::GateOptions gate;
  gate.fail_on.clear();
  for (const std::string& name : options.fail_on) {
    if (name != "none") gate.fail_on.insert(name);
  }
  gate.strict = options.strict;
  gate.min_rows = options.min_rows;
  return gate;
}

void print(const compare::Comparison& comparison, const CompareArguments& options) {
  if (options.format == "html") {
    std::cout << html::comparison_page(comparison) << std::flush;
    return;
  }
  compare::print_comparison(comparison, options.format, std::cout,
                            {.color = use_color(options.color, stream_of(STDOUT_FILENO)),
                             .all = options.plan.all,
                             .width = table_width(),
                             .utf8 = knows_unicode(),
                             .strict = options.strict});
}

/// Runs the modes other than A against B. `gated`: --fail-on was given.
int plan(const CompareArguments& options, bool gated) {
  if (options.base.empty() == options.plan.systems.empty()) {
    throw UsageError(
        "compare needs BASE..., the runs that --aa, --power and --against work on, or "
        "--systems NAME=PATH... and no BASE");
  }
  if (!options.plan.systems.empty()) {
    if (gated)
      throw UsageError(
          "--fail-on was given with --systems, which has no verdict; leave out --fail-on");
    return compare_systems(options.plan.systems, compare_options_of(options.judge), options.format);
  }
  ModeRequest request{compare_options_of(options.judge), options.format, {}};
  if (gated) request.fail_on = gate_options(options).fail_on;
  return plan_runs(options.base, options.plan, request);
}

int compare_runs(const CompareArguments& options) {
  if (options.base.empty() || options.against.empty()) {
    throw UsageError(
        "compare needs BASE... and --against NEW..., or BASE... and --aa or --power, or "
        "--systems");
  }
  const std::vector<compare::RunDigest> a = read_digests(options.base),
                                        b = read_digests(options.against);
  const compare::CompareOptions compare_options = compare_options_of(options.judge);
  compare::check_axis_maps(compare_options.maps, a, b);
  const compare::Comparison comparison = compare::compare(a, b, compare_options);
  print(comparison, options);
  const ExitCode code = compare::gate(comparison, gate_options(options));
  const std::size_t compared = comparison.count_comparable();
  if (compared == 0) {
    fmt::print(stderr,
               "scalemark compare: no case has a usable result of the same metric on both sides: "
               "nothing was compared\n");
  } else if (compared < options.min_rows) {
    fmt::print(stderr,
               "scalemark compare: --min-rows is {}, and {} {} a usable result on both sides\n",
               options.min_rows, text::counted(compared, "case"), compared == 1 ? "has" : "have");
  }
  return static_cast<int>(code);
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CompareArguments>();
  CLI::App* command =
      app.add_subcommand("compare", "Compare runs with earlier ones: better, worse or the same");
  command->add_option("BASE", options->base,
                      "Runs A: result files, .parts folders, or folders of runs");
  command->add_option("--against", options->against, "Runs B, the new ones");
  CLI::Option* map = add_judge_options(*command, options->judge);
  std::vector<std::string> formats = compare::compare_formats();
  formats.emplace_back("html");
  command->add_option("--format", options->format, "Output format (html: one page)")
      ->check(CLI::IsMember(formats))
      ->capture_default_str();
  std::vector<std::string> names = compare::gate_names();
  names.emplace_back("none");
  command
      ->add_option("--fail-on", options->fail_on,
                   "What ends with exit code 1 (env: 4), separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  command->add_flag("--strict", options->strict, "Exit code 5 when a row is inconclusive");
  take_number(
      command->add_option("--min-rows", options->min_rows,
                          "Exit code 4 when fewer cases have a usable result on both sides"),
      {NumberRule::Kind::integer, 1, 1'000'000, false})
      ->capture_default_str();
  add_color_option(*command, options->color);
  command->footer(
      "Exit codes: 0 pass, 1 what --fail-on names, 2 usage, 3 unreadable input, 4 nothing in "
      "common (or environments differ under --fail-on env), 5 inconclusive under --strict. --aa "
      "passes unless "
      "nothing could be tested (4) or --fail-on is given: regression then means false verdicts in "
      "more than 5 % of the splits. docs/comparing.md explains the output.");
  for (CLI::Option* mode : add_plan_options(*command, options->plan)) {
    mode->excludes("--against")->excludes("--strict");
  }
  // These modes need the runs of one machine.
  map->excludes("--aa")->excludes("--power");
  command->callback([options, command, &exit_code] {
    const bool gated = command->count("--fail-on") > 0;
    exit_code = options->plan.asked() ? plan(*options, gated) : compare_runs(*options);
  });
}

}  // namespace scalemark::cli
