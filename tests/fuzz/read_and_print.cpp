// SPDX-License-Identifier: Apache-2.0
// Reader, statistics, printers, page and exports on one run.
#include "tests/fuzz/read_and_print.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/base/log.hpp"
#include "common/convert/export.hpp"
#include "common/page/extract.hpp"
#include "common/page/page.hpp"
#include "common/report/compare.hpp"
#include "common/report/compare_print.hpp"
#include "common/report/joined.hpp"
#include "common/report/pauses.hpp"
#include "common/report/printer.hpp"
#include "common/store/reader.hpp"

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

void print_page(const Run& run, const report::Comparison& comparison) {
  page::RunExtract extract = page::extract_header(run, "a");
  for (const CaseResult& one : run.cases) page::extract_case(one, extract);
  require_harmless(page::report_page(std::span(&extract, 1)));
  require_harmless(page::report_page(std::span(&extract, 1), std::span(&extract, 1), &comparison));
  require_harmless(page::comparison_page(comparison));
}

/// A format of one object names what has no place in it in the log.
void hush() { log::configure(0, 1, "", -1); }

void export_all(const Run& run) {
  hush();
  for (const convert::ExportFormat& format : convert::export_formats()) {
    std::ostringstream out;
    try {
      const auto sink = convert::make_export(format.name, {}, {out, require_clean});
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
      report::Joined joined;
      for (const CaseResult& one : run.cases) joined.add(one);
      joined.print(out);
      report::print_pauses(run, out);
    }
    require_clean(out.str());
  }
  std::ostringstream lines;
  const auto joined = report::make_joined_json_printer(lines, {}, /*lines=*/true);
  for (const CaseResult& one : run.cases) joined->add(one);
  joined->end(run);
  require_clean(lines.str());
  report::RunDigest a = report::digest(run, "a"), b = a;
  a.uuid = "a";
  b.uuid = "b";
  const report::Comparison comparison =
      report::compare(std::span(&a, 1), std::span(&b, 1), report::CompareOptions{});
  for (const std::string& format : report::compare_formats()) {
    std::ostringstream out;
    report::print_comparison(comparison, format, out, {});
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
