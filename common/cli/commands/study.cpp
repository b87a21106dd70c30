// SPDX-License-Identifier: Apache-2.0
// `scalemark study`: the tables and figures of the two studies, with measured numbers beside
// theirs.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/cli/commands/commands.hpp"
#include "common/cli/commands/show_runs.hpp"
#include "common/cli/terminal.hpp"
#include "common/result/software_gpu.hpp"
#include "common/store/reader.hpp"
#include "common/study/print.hpp"

namespace scalemark::cli {
namespace {

struct StudyArguments {
  std::vector<std::string> words;  ///< as given: NAME and paths
  std::string format = "table";
};

bool is_name(const std::string& word) {
  return word == "all" ||
         std::ranges::count(study::experiments(), word, &study::Experiment::id) > 0;
}

study::Cases read_cases(const std::vector<std::string>& paths) {
  study::Cases cases;
  for (const std::filesystem::path& file : shown_runs(paths).files) {
    visit_run(file, {},
              {.header = [](const Run& run) { refuse_software_gpu(run); },
               .one_case = [&](const CaseResult& one) { cases.add(one); }});
  }
  return cases;
}

/// The table that was asked for. "all": those whose experiments the files repeat.
std::vector<study::StudyTable> tables_of(const std::string& name, const study::Cases& cases) {
  if (name == "all") return study::repeated_tables(cases.combined());
  return {
      study::make_table(study::experiment_of(name), cases.combined(), study::published_values())};
}

int study_command(const StudyArguments& options) {
  const study::StudyPrint how{
      .format = options.format, .width = table_width(), .utf8 = knows_unicode()};
  if (options.words.empty()) {
    study::print_experiments(how, std::cout);
    return static_cast<int>(ExitCode::ok);
  }
  const std::string& first = options.words.front();
  std::error_code error;
  if (!is_name(first) && !std::filesystem::exists(first, error)) study::experiment_of(first);
  const std::vector<std::string> paths(options.words.begin() + (is_name(first) ? 1 : 0),
                                       options.words.end());
  const study::Cases cases = paths.empty() ? study::Cases() : read_cases(paths);
  const auto tables = tables_of(is_name(first) ? first : "all", cases);
  if (tables.empty())
    throw InputError(
        "no experiment of the studies is repeated here; scalemark study lists them, and scalemark "
        "study NAME FILE shows one with the cases that there are");
  std::ostringstream out;
  study::print_tables(tables, how, out);
  std::cout << out.str();
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_study(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<StudyArguments>();
  CLI::App* command = app.add_subcommand(
      "study", "Print tables and figures of the two published studies, with the runs' numbers");
  command->add_option(
      "NAME", options->words,
      "Table or figure, such as table-2, and result files or folders of runs. Without files: what "
      "the "
      "study published. Without NAME: all tables that the files repeat. Without both: the list");
  command->add_option("--format", options->format, "Output format")
      ->check(CLI::IsMember(study::study_formats()))
      ->capture_default_str();
  command->callback([options, &exit_code] { exit_code = study_command(*options); });
}

}  // namespace scalemark::cli
