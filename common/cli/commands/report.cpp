// SPDX-License-Identifier: Apache-2.0
// `scalemark report`: writes results, a comparison, several systems or noise as one HTML page.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/cli/commands/commands.hpp"
#include "common/cli/commands/compare_plans.hpp"
#include "common/cli/commands/compare_systems.hpp"
#include "common/cli/commands/explain_rows.hpp"
#include "common/cli/commands/judge_options.hpp"
#include "common/cli/commands/page_file.hpp"
#include "common/cli/commands/read_digest.hpp"
#include "common/compare/baseline.hpp"
#include "common/compare/join_runs.hpp"
#include "common/compare/match_axes.hpp"
#include "common/compare/planning/self_test.hpp"
#include "common/compare/systems.hpp"
#include "common/html/page.hpp"
#include "common/result/software_gpu.hpp"
#include "common/store/reader.hpp"

namespace scalemark::cli {
namespace {

struct ReportArguments {
  std::vector<std::filesystem::path> files, base;
  std::filesystem::path output = "report.html";
  bool force = false, self_test = false;
  std::vector<std::string> systems;
  JudgeOptions judge;
};

/// What a page and its comparison need from runs, read case by case.
struct Side {
  std::vector<html::RunExtract> extracts;
  std::vector<compare::RunDigest> digests;
  StepRows steps;
  bool one_machine = true;  ///< so that rows explain steps
};

/// Folder and file name only: identifies a file without showing where on a machine it was.
std::string label_of(const std::filesystem::path& file) {
  return (file.parent_path().filename() / file.filename()).string();
}

Side read_side(const std::vector<std::filesystem::path>& paths, bool compared) {
  Side side;
  for (const std::filesystem::path& file : find_all_runs(paths)) {
    const RunVisitor extract = {
        [&](const Run& run) {
          refuse_software_gpu(run);
          side.extracts.push_back(html::extract_header(run, label_of(file)));
          side.one_machine = side.steps.is_same_machine(run) && side.one_machine;
        },
        [&](const CaseResult& one) {
          if (!compared && compare::is_baseline(one)) {
            throw InputError("is a baseline; allowed: runs (--base takes it)");
          }
          html::extract_case(one, side.extracts.back());
          side.steps.add(one);
        }};
    if (compared) {
      side.digests.push_back(read_digest(file, extract));
    } else {
      visit_run(file, {}, extract);
    }
  }
  compare::join_runs(side.digests);
  return side;
}

/// Steps of which some part is known.
std::vector<html::ExplainedStep> explained_steps(const Side& side) {
  std::vector<html::ExplainedStep> steps;
  if (!side.one_machine) return steps;
  for (const auto& [key, training] : side.steps.trainings()) {
    Explained explained = side.steps.explain(training);
    if (explained.has_rows) steps.push_back({key, std::move(explained.step)});
  }
  return steps;
}

std::string systems_html(const ReportArguments& options) {
  std::vector<html::SystemExtracts> extracts;
  const SystemVisitor visitor = [&](const std::string& name, const std::filesystem::path& file) {
    auto place = std::ranges::find(extracts, name, &html::SystemExtracts::name);
    if (place == extracts.end()) place = extracts.insert(extracts.end(), {name, {}});
    const auto system = static_cast<std::size_t>(place - extracts.begin());
    return RunVisitor{[&extracts, system, label = label_of(file)](const Run& run) {
                        extracts[system].runs.push_back(html::extract_header(run, label));
                      },
                      [&extracts, system](const CaseResult& one) {
                        html::extract_case(one, extracts[system].runs.back());
                      }};
  };
  const std::vector<compare::SystemRuns> systems = read_systems(options.systems, visitor);
  return html::systems_page(compare::system_table(systems, compare_options_of(options.judge)),
                            extracts);
}

std::string self_test_html(const ReportArguments& options) {
  Side side = read_side(options.files, true);
  return html::self_test_page(
      compare::self_test(std::move(side.digests),
                         self_test_options(compare_options_of(options.judge))),
      side.extracts);
}

std::string comparison_html(const ReportArguments& options) {
  const Side side = read_side(options.files, true), base = read_side(options.base, true);
  const compare::CompareOptions compare = compare_options_of(options.judge);
  compare::check_axis_maps(compare.maps, base.digests, side.digests);
  const compare::Comparison comparison = compare::compare(base.digests, side.digests, compare);
  return html::report_page(side.extracts, base.extracts, &comparison, explained_steps(side));
}

std::string html_of(const ReportArguments& options) {
  if (!options.systems.empty()) return systems_html(options);
  if (options.files.empty())
    throw UsageError("report needs FILE..., the runs of the page, or --systems NAME=PATH...");
  if (options.self_test) return self_test_html(options);
  if (!options.base.empty()) return comparison_html(options);
  const Side side = read_side(options.files, false);
  return html::report_page(side.extracts, {}, nullptr, explained_steps(side));
}

int write_report(const ReportArguments& options) {
  check_page_file(options.output, options.force);
  write_page("report", options.output, html_of(options));
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_report(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ReportArguments>();
  CLI::App* command =
      app.add_subcommand("report", "Write results as one HTML page that needs nothing else");
  CLI::Option* files = command->add_option("FILE", options->files,
                                           "Result files, .parts folders, or folders of runs");
  command->add_option("-o,--output", options->output, "The page")->capture_default_str();
  command->add_flag("--force", options->force,
                    "Replace an earlier page; another file is never replaced");
  CLI::Option* base =
      command->add_option("--base", options->base,
                          "Earlier runs: the page starts with the verdict on FILE against them");
  CLI::Option* aa = command->add_flag("--aa", options->self_test,
                                      "A/A test of FILE, at least 4 runs of one machine: how often "
                                      "verdicts are false, and the smallest change found");
  CLI::Option* systems = command->add_option(
      "--systems", options->systems,
      "Instead of FILE: NAME=PATH of at least 2 systems, side by side; the first is the reference");
  aa->excludes(base);
  systems->excludes(aa)->excludes(base)->excludes(files);
  const std::vector<CLI::Option*> before = command->get_options();
  add_judge_options(*command, options->judge)->excludes(aa);
  command->footer(
      "--threshold and the options after it need --base, --aa or --systems; they work as in "
      "compare.");
  // Without two sides to compare these options would be ignored.
  command->parse_complete_callback([=] {
    if (base->count() + aa->count() + systems->count() > 0) return;
    for (const CLI::Option* judging : command->get_options()) {
      if (std::ranges::find(before, judging) == before.end() && judging->count() > 0) {
        throw UsageError(
            fmt::format("{} was given, and nothing is judged; allowed with it: --base, "
                        "--aa, --systems",
                        judging->get_name()));
      }
    }
  });
  command->callback([options, &exit_code] { exit_code = write_report(*options); });
}

}  // namespace scalemark::cli
