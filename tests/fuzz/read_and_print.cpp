// SPDX-License-Identifier: Apache-2.0
// Reader, statistics, printers, page and exports on one run.
#include "tests/fuzz/read_and_print.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "common/analysis/pauses.hpp"
#include "common/base/error.hpp"
#include "common/base/log.hpp"
#include "common/compare/compare.hpp"
#include "common/compare/print/comparison.hpp"
#include "common/formats/export.hpp"
#include "common/formats/make_printer.hpp"
#include "common/html/extract.hpp"
#include "common/html/page.hpp"
#include "common/print/joined.hpp"
#include "common/print/printer.hpp"
#include "common/store/reader.hpp"
#include "common/study/published.hpp"

// HDF5 1.10 itself loses memory when it gives up on a damaged file; ours is still checked.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }  // NOLINT

namespace scalemark::fuzz {
namespace {

void require(bool holds, const char* what, const std::string& text) {
  if (holds) return;
  fmt::print(stderr, "{}: {}\n", what, text);
  std::abort();
}

void require_clean(const std::string& text) {
  const auto control = [](char c) { return (c >= 0 && c < 0x20 && c != '\n') || c == 0x7F; };
  require(std::ranges::none_of(text, control), "control characters are printed", text);
}

/// Nothing that was read is a tag of the page: it has no script, and loads nothing.
void require_harmless(const std::string& page) {
  for (const char* tag : {"<script", "<img", "<iframe", "<link", " onload=", " onerror="})
    require(page.find(tag) == std::string::npos, "a page has what it must not", tag);
  const auto control = [](char c) { return c >= 0 && c < 0x20 && c != '\n'; };
  require(std::ranges::none_of(page, control), "control characters are in a page", "");
}

void print_page(const Run& run, const compare::Comparison& comparison) {
  html::RunExtract extract = html::extract_header(run, "a");
  for (const CaseResult& one : run.cases) html::extract_case(one, extract);
  require_harmless(html::report_page(std::span(&extract, 1)));
  require_harmless(html::report_page(std::span(&extract, 1), std::span(&extract, 1), &comparison));
  require_harmless(html::comparison_page(comparison));
}

/// A format of one object names what has no place in it in the log.
void hush() { log::configure(0, 1, "", -1); }

void export_all(const Run& run) {
  hush();
  for (const formats::ExportFormat& format : formats::export_formats()) {
    std::ostringstream out;
    try {
      const auto sink = formats::make_export(format.name, {}, {out, require_clean});
      sink->begin(run);
      for (const CaseResult& one : run.cases) sink->add(one);
      sink->end(run);
    } catch (const UsageError& error) {  // nothing that the format could say
      require_clean(error.what());
    }
    require_clean(out.str());
  }
}

}  // namespace

void print(const Run& run) {
  hush();
  for (const std::string& format : print_formats()) {
    std::ostringstream out;
    const auto printer = make_printer(format, out, {.verbosity = 2});
    printer->begin(run);
    for (const CaseResult& one : run.cases) printer->add(one);
    printer->end(run);
    if (format == "table") {
      print::Joined joined;
      for (const CaseResult& one : run.cases) joined.add(one);
      joined.print(out);
      analysis::print_pauses(run, out);
    }
    require_clean(out.str());
  }
  std::ostringstream lines;
  const auto joined = print::make_joined_json_printer(lines, {}, /*lines=*/true);
  for (const CaseResult& one : run.cases) joined->add(one);
  joined->end(run);
  require_clean(lines.str());
  compare::RunDigest a = compare::digest(run, "a"), b = a;
  a.uuid = "a";
  b.uuid = "b";
  const compare::Comparison comparison =
      compare::compare(std::span(&a, 1), std::span(&b, 1), compare::CompareOptions{});
  for (const std::string& format : compare::compare_formats()) {
    std::ostringstream out;
    compare::print_comparison(comparison, format, out, {});
    require_clean(out.str());
  }
  print_page(run, comparison);
  export_all(run);
}

void require_one_line(const std::string& text) {
  require_clean(text);
  require(text.find('\n') == std::string::npos, "more than one line", text);
}

void read_and_print(const std::filesystem::path& file, bool apart) {
  Run run;
  try {
    run = read_run(file, {.apart = apart});
  } catch (const InputError& error) {
    return require_one_line(error.what());
  }
  print(run);
}

std::filesystem::path scratch_file() {
  return std::filesystem::temp_directory_path() / fmt::format("fuzz-{}.h5", getpid());
}

}  // namespace scalemark::fuzz
