// SPDX-License-Identifier: Apache-2.0
// The comparison on a terminal: environment first, then the verdict, then the rows, worst first.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/report/cells.hpp"
#include "common/report/compare_formats.hpp"

namespace scalemark::report {
namespace {

std::string colored(std::string_view text, std::string_view verdict, bool color) {
  if (!color) return std::string(text);
  const bool bad = verdict == "REGRESSION" || verdict == "FAILED" || verdict == "MISSING" ||
                   verdict == "NOTHING";
  const char* code = bad ? "31" : verdict == "INCONCLUSIVE" ? "33" : "32";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

void print_environment(const Comparison& comparison, std::ostream& out) {
  if (comparison.environment.empty()) {
    fmt::print(out, "environments: no difference found\n");
    return;
  }
  fmt::print(out, "environments differ (A -> B):\n");
  for (const EnvironmentDifference& one : comparison.environment) {
    fmt::print(out, "  {:<8}  {}: {} -> {}\n", to_string(one.fact_class), one.fact, one.a, one.b);
  }
}

void print_rows(const Comparison& comparison, std::ostream& out, bool color) {
  if (comparison.rows.empty()) return;
  std::vector<std::vector<std::string>> table = {row_headers()};
  for (const CompareRow& row : comparison.rows) table.push_back(row_cells(row));
  std::vector<std::size_t> widths(table.front().size(), 0);
  for (const auto& cells : table) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  constexpr std::size_t kFirstNumber = 3, kLastNumber = 8;
  for (std::size_t line = 0; line < table.size(); ++line) {
    const std::vector<std::string>& cells = table[line];
    std::string text = left_aligned(cells[0], widths[0]);
    if (line > 0) text = colored(text, cells[0], color);
    for (std::size_t i = 1; i + 1 < cells.size(); ++i) {
      const bool number = i >= kFirstNumber && i <= kLastNumber;
      text +=
          "  " + (number ? right_aligned(cells[i], widths[i]) : left_aligned(cells[i], widths[i]));
    }
    if (!cells.back().empty()) text += "  " + cells.back();
    fmt::print(out, "{}\n", text);
  }
}

void print_list(const std::vector<std::string>& lines, const char* title, std::ostream& out) {
  if (lines.empty()) return;
  fmt::print(out, "\n{}:\n", title);
  for (const std::string& line : lines) fmt::print(out, "  {}\n", line);
}

void print_failed(const Comparison& comparison, std::ostream& out) {
  if (comparison.failed.empty()) return;
  fmt::print(out, "\nfailed (A -> B):\n");
  for (const FailedRow& row : comparison.failed) {
    fmt::print(out, "  {}: {} -> {}{}{}\n", row.key, row.a, row.b, row.reason.empty() ? "" : ", ",
               row.reason);
  }
}

}  // namespace

void print_comparison_text(const Comparison& comparison, std::ostream& out,
                           const ComparePrintOptions& options) {
  print_environment(comparison, out);
  for (const std::string& note : comparison.notes) fmt::print(out, "note: {}\n", note);
  for (const std::string& line : method_lines(comparison)) fmt::print(out, "{}\n", line);
  fmt::print(out, "\n{}\n\n",
             colored(verdict_line(comparison), comparison.verdict(), options.color));
  print_rows(comparison, out, options.color);
  print_list(cause_lines(comparison), "likely causes", out);
  print_list(finding_lines(comparison), "also found", out);
  print_failed(comparison, out);
  print_list(comparison.only_a, "missing in B", out);
  print_list(comparison.only_b, "new in B", out);
  out.flush();
}

}  // namespace scalemark::report
