// SPDX-License-Identifier: Apache-2.0
// `scalemark show`: the rows of a result file.
#include <filesystem>
#include <iostream>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "common/base/counted.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/cli/commands.hpp"
#include "common/cli/numbers.hpp"
#include "common/cli/terminal.hpp"
#include "common/report/baseline.hpp"
#include "common/report/baseline_print.hpp"
#include "common/report/joined.hpp"
#include "common/report/pauses.hpp"
#include "common/report/printer.hpp"
#include "common/report/published.hpp"
#include "common/report/text_fit.hpp"
#include "common/store/reader.hpp"

namespace scalemark::cli {
namespace {

struct Options {
  std::filesystem::path file;
  std::string filter;
  std::string format = "table";
  std::optional<int> decimals;
  int verbose = 0;
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

/// Which keys the filter finds; a full key or name selects itself alone. Reads no samples.
class Selection {
 public:
  explicit Selection(const Options& options) : all_(options.filter.empty()) {
    if (all_) return;
    const std::regex expression = compiled(options.filter);
    std::set<std::string> found, exact, names;
    const auto look_at = [&](const CaseResult& one) {
      names.insert(one.name);
      if (one.key == options.filter || one.name == options.filter) exact.insert(one.key);
      if (std::regex_search(one.key, expression)) found.insert(one.key);
    };
    visit_run(options.file, {.samples = false}, {.header = [](const Run&) {}, .one_case = look_at});
    keys_ = exact.empty() ? std::move(found) : std::move(exact);
    if (keys_.empty()) {
      const std::vector<std::string> known(names.begin(), names.end());
      throw UsageError(fmt::format("CASE \"{}\" is in no key of the file{}",
                                   text::printable(options.filter, 200),
                                   text::printable(text::did_you_mean(options.filter, known))));
    }
  }

  bool has(const std::string& key) const { return all_ || keys_.contains(key); }
  /// The planned keys, of which only the chosen ones are announced.
  void narrow(Run& header) const {
    if (!all_) header.planned.assign(keys_.begin(), keys_.end());
  }

 private:
  bool all_;
  std::set<std::string> keys_;
};

/// What the tables below the rows look at; all of a large file would not fit into memory.
void leave_for_footers(CaseResult& one) {
  std::set<std::string> wanted = {"epoch_start_pause", "test_pause"};
  for (const auto& published : report::published_for(one, report::published_values()))
    wanted.insert(published.metric);
  for (const Metric& metric : one.metrics) {
    if (wanted.contains(metric.name) && !metric.source.empty()) wanted.insert(metric.source);
  }
  one.tables.clear();
  std::erase_if(one.metrics, [&](const Metric& metric) { return !wanted.contains(metric.name); });
}

/// The JSON of a file says of a case what it is among others, too.
std::shared_ptr<ResultSink> printer_for(const Options& options, std::ostream& out,
                                        const PrintOptions& print) {
  if (options.format == "json" || options.format == "jsonl")
    return report::make_joined_json_printer(out, print, options.format == "jsonl");
  return make_printer(options.format, out, print);
}

/// Not only in the table's last line: whoever reads the other formats is told, too.
void warn_if_incomplete(const Options& options, const Run& run, std::size_t cases) {
  if (run.complete || options.format == "table") return;
  fmt::print(stderr, "scalemark: {} is not complete: {} of {}\n",
             text::printable(options.file.string()), cases,
             text::counted(run.planned.size(), "planned case"));
}

int show(const Options& options) {
  const Selection selection(options);
  PrintOptions print;
  print.decimals = options.decimals;
  print.verbosity = options.verbose;
  const Stream output = stream_of(STDOUT_FILENO);
  print.width = table_width();
  print.color = use_color(options.color, output);
  // Shown when all is read: a file that is refused half way leaves one line of error and no rows.
  std::ostringstream out;
  const std::shared_ptr<ResultSink> printer = printer_for(options, out, print);
  report::Joined joined;
  Run run;
  std::size_t cases = 0;
  const auto take_header = [&](Run header) {
    run = std::move(header);
    selection.narrow(run);
    printer->begin(run);
  };
  std::optional<report::RunDigest> baseline;
  const auto take_case = [&](CaseResult one) {
    if (!selection.has(one.key)) return;
    if (report::is_baseline(one)) baseline = report::baseline_digest(one, options.file.string());
    printer->add(one);
    ++cases;
    if (options.format == "table") joined.add(one);
    leave_for_footers(one);
    if (!one.metrics.empty()) run.cases.push_back(std::move(one));
  };
  visit_run(options.file, {}, {.header = take_header, .one_case = take_case});
  printer->end(run);
  if (baseline && options.format == "table") {
    out.str({});
    report::print_baseline(*baseline, print.width, out);
  }
  warn_if_incomplete(options, run, cases);
  if (options.format == "table") {
    joined.print(out);
    report::print_pauses(run, out);
    report::print_published(run, report::published_values(), out);
  }
  std::cout << (options.format == "table" ? report::wrapped(out.view(), print.width) : out.str());
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
  take_number(command->add_option("--decimals", options->decimals,
                                  "Decimals of printed numbers in table, osu and imb"),
              {NumberRule::Kind::integer, 0, 12, false});
  command->add_flag(
      "-v,--verbose", options->verbose,
      "In --format osu the columns of OSU's -f, or of -c where there is no -f; -vv: of "
      "-f, -c and -z");
  add_color_option(*command, options->color);
  command->callback([options, &exit_code] { exit_code = show(*options); });
}

}  // namespace scalemark::cli
