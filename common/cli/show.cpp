// SPDX-License-Identifier: Apache-2.0
// `scalemark show`: the rows of a result file.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <regex>

#include <fmt/format.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/cli/commands.hpp"
#include "common/cli/terminal.hpp"
#include "common/report/pauses.hpp"
#include "common/report/printer.hpp"
#include "common/report/published.hpp"
#include "common/report/scaling.hpp"
#include "common/store/reader.hpp"

namespace scalemark::cli {
namespace {

struct Options {
  std::filesystem::path file;
  std::string filter;
  std::string format = "table";
  std::optional<int> decimals;
  std::string color = "auto";
};

std::regex compiled(const std::string& filter) {
  try {
    return std::regex(filter, std::regex::ECMAScript);
  } catch (const std::regex_error& error) {
    throw UsageError(fmt::format("CASE is \"{}\"; allowed: a regular expression ({})",
                                 text::printable(filter, 200), error.what()));
  }
}

/// Leaves the cases whose key the filter finds; a full key or name selects itself alone.
void select(Run& run, const std::string& filter) {
  if (filter.empty()) return;
  const std::regex expression = compiled(filter);
  const bool exact = std::any_of(run.cases.begin(), run.cases.end(), [&](const CaseResult& one) {
    return one.key == filter || one.name == filter;
  });
  const auto chosen = [&](const CaseResult& one) {
    return exact ? one.key == filter || one.name == filter : std::regex_search(one.key, expression);
  };
  std::vector<std::string> names;
  for (const CaseResult& one : run.cases) {
    if (std::find(names.begin(), names.end(), one.name) == names.end()) names.push_back(one.name);
  }
  std::erase_if(run.cases, [&](const CaseResult& one) { return !chosen(one); });
  if (run.cases.empty()) {
    throw UsageError(fmt::format("CASE \"{}\" is in no key of the file{}",
                                 text::printable(filter, 200),
                                 text::printable(text::did_you_mean(filter, names))));
  }
  run.planned.clear();
  for (const CaseResult& one : run.cases) run.planned.push_back(one.key);
}

int show(const Options& options) {
  Run run = read_run(options.file);
  select(run, options.filter);
  PrintOptions print;
  print.decimals = options.decimals;
  const Stream output = stream_of(STDOUT_FILENO);
  print.width = output_width(output);
  print.color = use_color(options.color, output);
  const std::shared_ptr<ResultSink> printer = make_printer(options.format, std::cout, print);
  printer->begin(run);
  for (const CaseResult& one : run.cases) printer->add(one);
  printer->end(run);
  if (options.format == "table") {
    report::print_scaling(run, std::cout);
    report::print_pauses(run, std::cout);
    report::print_published(run, report::published_values(), std::cout);
  }
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_show(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("show", "Print the rows of a result file");
  command
      ->add_option("FILE", options->file, "A result file, or the .parts folder of a run under way")
      ->required();
  command->add_option("CASE", options->filter,
                      "Regular expression searched in the keys; default: all");
  command->add_option("--format", options->format, "Output format")
      ->check(CLI::IsMember(print_formats()))
      ->capture_default_str();
  command
      ->add_option("--decimals", options->decimals, "Decimals of printed numbers in table and osu")
      ->check(CLI::Range(0, 12));
  add_color_option(*command, options->color);
  command->callback([options, &exit_code] { exit_code = show(*options); });
}

}  // namespace scalemark::cli
