// SPDX-License-Identifier: Apache-2.0
// Finds the runs for `show` and prints their table.
#include "common/cli/commands/show_runs.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/cli/commands/read_digest.hpp"
#include "common/cli/key_filter.hpp"
#include "common/print/joined.hpp"
#include "common/print/runs_print.hpp"
#include "common/print/runs_table.hpp"
#include "common/store/reader.hpp"
#include "common/text/fit.hpp"

namespace scalemark::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNamedFolders = 3;

/// The runs of a folder; empty if it has none.
std::vector<fs::path> runs_in(const fs::path& folder) {
  try {
    return find_runs(folder);
  } catch (const InputError&) {
    return {};
  }
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return path.extension() != ".parts" && fs::is_directory(path, ignored);
}

/// Whether a word after the first is a path. A CASE often looks like the end of a path.
bool names_runs(const std::string& word) {
  const fs::path path = word;
  std::error_code ignored;
  if (path.extension() == ".h5" || path.extension() == ".parts") return true;
  if (fs::is_regular_file(path, ignored)) return true;
  return fs::is_directory(path, ignored) && !runs_in(path).empty();
}

[[noreturn]] void refuse_folder(const fs::path& folder) {
  std::size_t folders = 0, files = 0;
  std::vector<std::string> with_runs;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const bool inner = entry.is_directory(error);
    ++(inner ? folders : files);
    if (!inner) continue;
    if (const std::size_t runs = runs_in(entry.path()).size(); runs > 0)
      with_runs.push_back(
          fmt::format("{} ({})", text::printable(entry.path().string(), 200), runs));
  }
  std::ranges::sort(with_runs);
  std::string advice = "Give a result file, or a folder that holds some";
  if (!with_runs.empty()) {
    const std::size_t more = with_runs.size() - std::min(kNamedFolders, with_runs.size());
    with_runs.resize(with_runs.size() - more);
    advice = fmt::format("Runs are in {}{}", text::join(with_runs, ", "),
                         more > 0 ? fmt::format(" and {} more folders", more) : std::string());
  }
  throw InputError(
      fmt::format("{}: no run in this folder: neither *.h5 nor *.h5.parts, but {} other file{} and "
                  "{} folder{}. "
                  "{}",
                  text::printable(folder.string()), files, files == 1 ? "" : "s", folders,
                  folders == 1 ? "" : "s", advice));
}

}  // namespace

ShownRuns shown_runs(const std::vector<std::string>& words) {
  ShownRuns shown;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const fs::path path = words[i];
    if (i > 0 && !names_runs(words[i])) {
      if (!shown.filter.empty()) {
        throw UsageError(
            fmt::format("CASE is given twice, \"{}\" and \"{}\"; allowed: one regular expression "
                        "behind the files (a file is a path that exists or ends in .h5)",
                        text::printable(shown.filter, 200), text::printable(words[i], 200)));
      }
      shown.filter = words[i];
      continue;
    }
    if (!is_folder(path)) {
      shown.files.push_back(path);
      continue;
    }
    const std::vector<fs::path> found = runs_in(path);
    if (found.empty()) refuse_folder(path);
    shown.files.insert(shown.files.end(), found.begin(), found.end());
  }
  return shown;
}

int show_runs(const ShownRuns& runs, const std::string& format, const PrintOptions& print) {
  const std::vector<std::string> formats = print::runs_formats();
  if (std::ranges::find(formats, format) == formats.end()) {
    throw UsageError(fmt::format(
        "--format {} prints one run, and these are {}; give one of them, or one of the formats {}",
        format, runs.files.size(), text::join(formats, ", ")));
  }
  KeyFilter filter(runs.filter);
  std::map<std::string, Point> params;
  print::Joined joined;
  RunVisitor also;
  also.header = [&](const Run&) { joined.begin_run(); };
  also.one_case = [&](const CaseResult& one) {
    const std::string key = text::printable(one.key);
    filter.look_at(key, text::printable(one.name));
    params.try_emplace(key, one.params);
    joined.add(one);
  };
  const std::vector<compare::RunDigest> digests = read_digests(runs.files, also);
  filter.settle();
  joined.keep([&](const std::string& key) { return filter.has(text::printable(key)); });
  const print::RunsTable table =
      print::runs_table(digests, params, [&](const std::string& key) { return filter.has(key); });
  std::ostringstream out;
  print::print_runs(table, joined, format, print, out);
  if (format == "table") {
    std::cout << text::wrapped(out.view(), print.width);
  } else {
    for (const std::string& remark : print::runs_remarks(table))
      fmt::print(stderr, "scalemark: {}\n", remark);
    std::cout << out.str();
  }
  return static_cast<int>(ExitCode::ok);
}

}  // namespace scalemark::cli
