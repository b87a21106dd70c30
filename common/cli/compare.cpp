// SPDX-License-Identifier: Apache-2.0
// `scalemark compare`: runs A against runs B.
#include "common/report/compare.hpp"

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/cli/commands.hpp"
#include "common/cli/compare_plans.hpp"
#include "common/cli/compare_systems.hpp"
#include "common/cli/read_digest.hpp"
#include "common/cli/terminal.hpp"
#include "common/page/page.hpp"
#include "common/report/axis_map.hpp"
#include "common/report/compare_print.hpp"
#include "common/report/gate.hpp"

namespace scalemark::cli {
namespace {

struct Options {
  std::vector<std::filesystem::path> base, against;
  double threshold_percent = 1;
  std::optional<double> single_run_percent;
  std::string format = "text";
  std::vector<std::string> fail_on = {"regression", "missing", "failed"};
  bool strict = false;
  std::size_t min_rows = 1;
  bool fwer = false, relative_to_run = false;
  std::string paired = "auto";
  std::vector<std::string> maps;
  std::string color = "auto";
  PlanOptions plan;
};

report::GateOptions gate_options(const Options& options) {
  report::GateOptions gate;
  gate.fail_on.clear();
  for (const std::string& name : options.fail_on) {
    if (name != "none") gate.fail_on.insert(name);
  }
  gate.strict = options.strict;
  gate.min_rows = options.min_rows;
  return gate;
}

void print(const report::Comparison& comparison, const Options& options) {
  if (options.format == "html") {
    std::cout << page::comparison_page(comparison) << std::flush;
    return;
  }
  report::print_comparison(comparison, options.format, std::cout,
                           {.color = use_color(options.color, stream_of(STDOUT_FILENO)),
                            .all = options.plan.all,
                            .width = table_width(),
                            .utf8 = knows_unicode(),
                            .strict = options.strict});
}

report::Pairing pairing_of(const std::string& paired) {
  return paired == "auto"  ? report::Pairing::automatic
         : paired == "yes" ? report::Pairing::yes
                           : report::Pairing::no;
}

report::CompareOptions compare_options_of(const Options& options) {
  report::CompareOptions compare_options;
  compare_options.threshold = options.threshold_percent / 100;
  if (options.single_run_percent)
    compare_options.single_run_threshold = *options.single_run_percent / 100;
  compare_options.fwer = options.fwer;
  compare_options.relative_to_run = options.relative_to_run;
  compare_options.pairing = pairing_of(options.paired);
  for (const std::string& map : options.maps)
    compare_options.maps.push_back(report::parse_axis_map(map));
  return compare_options;
}

/// What is asked besides comparing two sides. Without --fail-on nothing fails there.
int plan(const Options& options, bool gated) {
  if (options.base.empty() == options.plan.systems.empty()) {
    throw UsageError(
        "compare needs BASE..., the runs that --aa, --power and --against work on, or "
        "--systems NAME=PATH... and no BASE");
  }
  if (!options.plan.systems.empty()) {
    if (gated) throw UsageError("--fail-on was given with --systems, which passes or fails nobody");
    return compare_systems(options.plan.systems, compare_options_of(options), options.format);
  }
  ModeRequest request{compare_options_of(options), options.format, {}};
  if (gated) request.fail_on = gate_options(options).fail_on;
  return plan_runs(options.base, options.plan, request);
}

int compare_runs(const Options& options) {
  if (options.base.empty() || options.against.empty()) {
    throw UsageError(
        "compare needs BASE... and --against NEW..., or BASE... and --aa or --power, or "
        "--systems");
  }
  const std::vector<report::RunDigest> a = read_digests(options.base),
                                       b = read_digests(options.against);
  const report::CompareOptions compare_options = compare_options_of(options);
  report::check_axis_maps(compare_options.maps, a, b);
  const report::Comparison comparison = report::compare(a, b, compare_options);
  print(comparison, options);
  const ExitCode code = report::gate(comparison, gate_options(options));
  const std::size_t compared = comparison.count_comparable();
  if (compared == 0) {
    fmt::print(stderr,
               "scalemark compare: no case has a usable result of one metric on both sides: "
               "nothing was compared\n");
  } else if (compared < options.min_rows) {
    fmt::print(stderr,
               "scalemark compare: --min-rows is {}, and {} cases have a usable result on both "
               "sides\n",
               options.min_rows, compared);
  }
  return static_cast<int>(code);
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("compare", "Tell whether runs are better or worse than earlier ones");
  command->add_option("BASE", options->base,
                      "Runs A: result files, .parts folders, or folders of runs");
  command->add_option("--against", options->against, "Runs B, the new ones");
  command
      ->add_option("--threshold", options->threshold_percent,
                   "Changes up to so many percent do not matter")
      ->check(CLI::Range(0.001, 100.0))
      ->capture_default_str();
  command
      ->add_option("--single-run-threshold", options->single_run_percent,
                   "Where nothing can be tested (one run a side), let a change for the worse by "
                   "more than so many "
                   "percent count as a regression in the exit code")
      ->check(CLI::Range(0.001, 1000.0));
  std::vector<std::string> formats = report::compare_formats();
  formats.emplace_back("html");
  command->add_option("--format", options->format, "Output format (html: one page)")
      ->check(CLI::IsMember(formats))
      ->capture_default_str();
  std::vector<std::string> names = report::gate_names();
  names.emplace_back("none");
  command
      ->add_option("--fail-on", options->fail_on,
                   "What ends with exit code 1 (env: 4), separated by commas")
      ->delimiter(',')
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  command->add_flag("--strict", options->strict, "Exit code 5 when a row is inconclusive");
  command
      ->add_option("--min-rows", options->min_rows,
                   "Exit code 4 when fewer cases have a usable result on both sides")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_flag("--fwer", options->fwer,
                    "Control the chance of any false finding (Holm) instead of their share");
  command->add_flag(
      "--relative-to-run", options->relative_to_run,
      "Take what moved each whole run out of its rows; it is told in a line of its own");
  command
      ->add_option(
          "--paired", options->paired,
          "Whether runs of A and B that took turns on the same nodes are compared in pairs; "
          "auto: where job id, nodes and start times say so")
      ->check(CLI::IsMember({"auto", "yes", "no"}))
      ->capture_default_str();
  CLI::Option* map = command->add_option(
      "--map", options->maps,
      "Match cases of different machines: AXIS=VALUE->VALUE (A's and B's; not with --systems), "
      "AXIS=* (any value), AXIS=drop (as if no case had the axis); may be repeated");
  add_color_option(*command, options->color);
  command->footer(
      "Exit codes: 0 pass, 1 what --fail-on names, 2 usage, 3 unreadable input, 4 nothing in "
      "common (or "
      "environments differ under --fail-on env), 5 inconclusive under --strict. --aa passes unless "
      "--fail-on is given: regression then means more tables with a false verdict than 5 %. "
      "docs/comparing.md tells how to read what is printed.");
  for (CLI::Option* mode : add_plan_options(*command, options->plan)) {
    mode->excludes("--against")->excludes("--strict");
  }
  // These look at the runs of one machine.
  map->excludes("--aa")->excludes("--power");
  command->callback([options, command, &exit_code] {
    const bool gated = command->count("--fail-on") > 0;
    exit_code = options->plan.asked() ? plan(*options, gated) : compare_runs(*options);
  });
}

}  // namespace scalemark::cli
