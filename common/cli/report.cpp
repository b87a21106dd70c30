// SPDX-License-Identifier: Apache-2.0
// `scalemark report`: results as one HTML page.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/base/whole_file.hpp"
#include "common/cli/commands.hpp"
#include "common/cli/judge_options.hpp"
#include "common/cli/read_digest.hpp"
#include "common/page/page.hpp"
#include "common/report/axis_map.hpp"
#include "common/report/baseline.hpp"
#include "common/report/join_runs.hpp"
#include "common/store/reader.hpp"

namespace scalemark::cli {
namespace {

struct Options {
  std::vector<std::filesystem::path> files, base;
  std::filesystem::path output = "report.html";
  JudgeOptions judge;
};

/// What a page and its comparison need of runs, read case by case.
struct Side {
  std::vector<page::RunExtract> extracts;
  std::vector<report::RunDigest> digests;
};

/// File and folder: enough to know a file by, and nothing about whose machine it lay on.
std::string label_of(const std::filesystem::path& file) {
  return (file.parent_path().filename() / file.filename()).string();
}

Side read_side(const std::vector<std::filesystem::path>& paths, bool compared) {
  Side side;
  for (const std::filesystem::path& path : paths) {
    for (const std::filesystem::path& file : find_runs(path)) {
      const RunVisitor extract = {
          [&](const Run& run) {
            side.extracts.push_back(page::extract_header(run, label_of(file)));
          },
          [&](const CaseResult& one) {
            if (!compared && report::is_baseline(one)) {
              throw InputError("is a baseline; allowed: runs (--base takes it)");
            }
            page::extract_case(one, side.extracts.back());
          }};
      if (compared) {
        side.digests.push_back(read_digest(file, extract));
      } else {
        visit_run(file, {}, extract);
      }
    }
  }
  report::join_runs(side.digests);
  return side;
}

/// A slip of the hand must not cost a result file.
void check_output(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return;
  constexpr std::string_view kBegin = "<!doctype html>";
  std::string begin(kBegin.size(), ' ');
  std::ifstream stream(path, std::ios::binary);
  const bool page = std::filesystem::is_regular_file(path) &&
                    stream.read(begin.data(), static_cast<std::streamsize>(begin.size())) &&
                    begin == kBegin;
  if (page || (std::filesystem::is_regular_file(path) && std::filesystem::file_size(path) == 0))
    return;
  throw UsageError(
      fmt::format("--output is \"{}\", which exists and is no page of this program; "
                  "allowed: a new file, or an earlier page",
                  text::printable(path.string(), 400)));
}

int write_report(const Options& options) {
  check_output(options.output);
  const bool compared = !options.base.empty();
  const Side side = read_side(options.files, compared);
  std::string html;
  if (compared) {
    const report::CompareOptions compare = compare_options_of(options.judge);
    const Side base = read_side(options.base, true);
    report::check_axis_maps(compare.maps, base.digests, side.digests);
    const report::Comparison comparison = report::compare(base.digests, side.digests, compare);
    html = page::report_page(side.extracts, base.extracts, &comparison);
  } else {
    html = page::report_page(side.extracts);
  }
  write_whole(options.output, html);
  fmt::print(stderr, "scalemark report: wrote {} ({} KiB)\n",
             text::printable(options.output.string(), 400), (html.size() + 1023) / 1024);
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

void add_report(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("report", "Write results as one HTML page that needs nothing else");
  command->add_option("FILE", options->files, "Result files, .parts folders, or folders of runs")
      ->required();
  command->add_option("-o,--output", options->output, "The page")->capture_default_str();
  CLI::Option* base =
      command->add_option("--base", options->base,
                          "Earlier runs: the page begins with the verdict on FILE against them");
  const std::vector<CLI::Option*> before = command->get_options();
  add_judge_options(*command, options->judge);
  for (CLI::Option* judging : command->get_options()) {
    if (std::ranges::find(before, judging) == before.end()) judging->needs(base);
  }
  command->footer("--threshold and what follows it need --base, and judge as they do for compare.");
  command->callback([options, &exit_code] { exit_code = write_report(*options); });
}

}  // namespace scalemark::cli
