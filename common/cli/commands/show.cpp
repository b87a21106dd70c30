// SPDX-License-Identifier: Apache-2.0
// `scalemark show`: prints the rows of one or several result files.
#include <filesystem>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "common/analysis/gpu_paths.hpp"
#include "common/analysis/pauses.hpp"
#include "common/base/counted.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/cli/commands/commands.hpp"
#include "common/cli/commands/explain.hpp"
#include "common/cli/commands/show_runs.hpp"
#include "common/cli/key_filter.hpp"
#include "common/cli/numbers.hpp"
#include "common/cli/terminal.hpp"
#include "common/compare/baseline.hpp"
#include "common/compare/print/baseline.hpp"
#include "common/formats/make_printer.hpp"
#include "common/print/joined.hpp"
#include "common/print/printer.hpp"
#include "common/result/places.hpp"
#include "common/result/software_gpu.hpp"
#include "common/store/reader.hpp"
#include "common/text/fit.hpp"

namespace scalemark::cli {
namespace {

struct ShowArguments {
  std::vector<std::string> words;  ///< as given: paths and CASE
  std::filesystem::path file;      ///< of one run
  std::string format = "table";
  std::optional<int> decimals;
  int verbose = 0;
  std::string color = "auto";
  bool explain = false;
};

/// Finds the keys that CASE selects. Reads no samples.
KeyFilter filter_for(const std::filesystem::path& file, const std::string& text) {
  KeyFilter filter(text);
  if (filter.takes_all()) return filter;
  visit_run(file, {.samples = false},
            {.header = [](const Run&) {},
             .one_case = [&](const CaseResult& one) { filter.look_at(one.key, one.name); }});
  filter.settle();
  return filter;
}

/// Keeps only what the table of pauses uses; all of a large file would not fit into memory.
void leave_for_pauses(CaseResult& one) {
  std::erase_if(one.tables, [](const auto& table) { return table.first != kPlacesTable; });
  std::erase_if(one.metrics, [](const Metric& metric) {
    return metric.name != "epoch_start_pause" && metric.name != "test_pause";
  });
}

/// For JSON, a printer whose objects also have what needs several cases: scaling, message cost,
/// layout ratio.
std::shared_ptr<ResultSink> printer_for(const ShowArguments& options, std::ostream& out,
                                        const PrintOptions& print) {
  if (options.format == "json" || options.format == "jsonl")
    return print::make_joined_json_printer(out, print, options.format == "jsonl");
  return make_printer(options.format, out, print);
}

/// Warns in every format except table, whose last line says it.
void warn_if_incomplete(const ShowArguments& options, const Run& run, std::size_t cases) {
  if (run.complete || options.format == "table") return;
  fmt::print(stderr, "scalemark: {} is not complete: {} of {}\n",
             text::printable(options.file.string()), cases,
             text::counted(run.planned.size(), "planned case"));
}

void warn_if_software_gpu(const ShowArguments& options, const Run& run) {
  if (!is_on_software_gpu(run)) return;
  fmt::print(
      stderr,
      "scalemark: {} was measured on the software GPU of the tests; its times mean nothing\n",
      text::printable(options.file.string()));
}

PrintOptions print_options(const ShowArguments& options) {
  PrintOptions print;
  print.decimals = options.decimals;
  print.verbosity = options.verbose;
  print.width = table_width();
  print.color = use_color(options.color, stream_of(STDOUT_FILENO));
  print.utf8 = knows_unicode();
  return print;
}

int show_run(const ShowArguments& options, const std::string& filter) {
  const KeyFilter selection = filter_for(options.file, filter);
  const PrintOptions print = print_options(options);
  // Prints after everything is read: a file that is rejected half way gives one error and no rows.
  std::ostringstream out;
  const std::shared_ptr<ResultSink> printer = printer_for(options, out, print);
  print::Joined joined;
  Run run;
  std::size_t cases = 0;
  const auto take_header = [&](Run header) {
    run = std::move(header);
    // Announce only the selected keys.
    if (!selection.takes_all())
      run.planned.assign(selection.keys().begin(), selection.keys().end());
    printer->begin(run);
  };
  std::optional<compare::RunDigest> baseline;
  const auto take_case = [&](CaseResult one) {
    if (!selection.has(one.key)) return;
    if (compare::is_baseline(one)) baseline = compare::baseline_digest(one, options.file.string());
    printer->add(one);
    ++cases;
    if (options.format == "table") joined.add(one);
    leave_for_pauses(one);
    if (!one.metrics.empty()) run.cases.push_back(std::move(one));
  };
  visit_run(options.file, {}, {.header = take_header, .one_case = take_case});
  printer->end(run);
  if (baseline && options.format == "table") {
    out.str({});
    compare::print_baseline(*baseline, print.width, out);
  }
  warn_if_incomplete(options, run, cases);
  warn_if_software_gpu(options, run);
  if (options.format == "table") {
    joined.print(out);
    analysis::print_pauses(run, out);
    analysis::print_gpu_paths(run, out);
  }
  std::cout << (options.format == "table" ? text::wrapped(out.view(), print.width) : out.str());
  return static_cast<int>(ExitCode::ok);
}

int show(ShowArguments options) {
  const ShownRuns runs = shown_runs(options.words);
  if (options.explain) {
    if (options.format != "table" && options.format != "json")
      throw UsageError("--explain prints --format table or json");
    return explain_runs(runs.files, runs.filter, options.format);
  }
  if (runs.files.size() > 1) return show_runs(runs, options.format, print_options(options));
  options.file = runs.files.front();
  return show_run(options, runs.filter);
}

}  // namespace

void add_show(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ShowArguments>();
  CLI::App* command = app.add_subcommand("show", "Print the rows of a result file, or of several");
  command
      ->add_option(
          "FILE", options->words,
          "Result files, .parts folders of runs under way, or folders of runs. Several runs make "
          "one table: the median of their medians, and their spread. A last word that is "
          "no path is CASE: a regular expression searched in the keys")
      ->required();
  command->add_option("--format", options->format, "Output format")
      ->check(CLI::IsMember(print_formats()))
      ->capture_default_str();
  take_number(command->add_option("--decimals", options->decimals,
                                  "Decimals of printed numbers in table, osu and imb"),
              {NumberRule::Kind::integer, 0, 12, false});
  command->add_flag(
      "-v,--verbose", options->verbose,
      "--format osu: also the columns of OSU's -f (collectives) or -c (others); -vv: those of -f, "
      "-c and -z. --format google-benchmark: also every repetition");
  command->add_flag("--explain", options->explain,
                    "Instead of rows: how the time of a training step divides into its operations, "
                    "and what limits it; needs rows of these operations in the files");
  add_color_option(*command, options->color);
  command->callback([options, &exit_code] { exit_code = show(*options); });
}

}  // namespace scalemark::cli
