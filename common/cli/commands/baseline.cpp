// SPDX-License-Identifier: Apache-2.0
// `scalemark baseline`: stores runs as a baseline for later comparisons.
#include "common/compare/baseline.hpp"

#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "common/base/clock.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/cli/commands/commands.hpp"
#include "common/cli/commands/outputs.hpp"
#include "common/cli/commands/read_digest.hpp"
#include "common/cli/commands/run_facts.hpp"
#include "common/store/whole_run.hpp"

namespace scalemark::cli {
namespace {

struct BaselineArguments {
  std::vector<std::filesystem::path> runs;
  std::filesystem::path output;
  bool force = false;
};

int write_baseline(const BaselineArguments& options) {
  for (const std::filesystem::path& path : options.runs)
    refuse_inputs(options.output, find_runs(path));
  Run baseline = compare::make_baseline(read_digests(options.runs));
  baseline.uuid = new_uuid();
  baseline.created = utc_now();
  baseline.producer = producer_facts();
  write_result_file(options.output, baseline, options.force);
  fmt::print("{}: {}\n", text::printable(options.output.string()), baseline.cases[0].reason);
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_baseline(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<BaselineArguments>();
  CLI::App* command = app.add_subcommand(
      "baseline", "Store the medians of runs and how much they vary, to compare later runs with");
  command
      ->add_option("RUNS", options->runs,
                   "Two runs or more: result files, .parts folders, or folders of runs")
      ->required();
  command->add_option("-o,--output", options->output, "The baseline: a small file")->required();
  command->add_flag("--force", options->force, "Replace an existing output");
  command->footer("Then: scalemark compare BASELINE --against NEW...");
  command->callback([options, &exit_code] { exit_code = write_baseline(*options); });
}

}  // namespace scalemark::cli
