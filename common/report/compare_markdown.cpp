// SPDX-License-Identifier: Apache-2.0
// The comparison as Markdown for a merge request: what matters open, the rest folded.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/report/cells.hpp"
#include "common/report/compare_formats.hpp"

namespace scalemark::report {
namespace {

void print_line(const std::vector<std::string>& cells, std::ostream& out) {
  for (const std::string& cell : cells) fmt::print(out, "| {} ", cell);
  fmt::print(out, "|\n");
}

void print_table(const std::vector<const CompareRow*>& rows, std::ostream& out) {
  print_line(row_headers(), out);
  fmt::print(out, "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n");
  for (const CompareRow* row : rows) {
    std::vector<std::string> cells = row_cells(*row);
    std::transform(cells.begin(), cells.end(), cells.begin(), markdown_text);
    print_line(cells, out);
  }
}

void print_folded(const char* title, const std::vector<const CompareRow*>& rows,
                  std::ostream& out) {
  if (rows.empty()) return;
  fmt::print(out, "\n<details><summary>{} ({})</summary>\n\n", title, rows.size());
  print_table(rows, out);
  fmt::print(out, "\n</details>\n");
}

void print_list(const std::vector<std::string>& lines, const char* title, std::ostream& out) {
  if (lines.empty()) return;
  fmt::print(out, "\n**{}**\n\n", title);
  for (const std::string& line : lines) fmt::print(out, "- {}\n", markdown_text(line));
}

std::vector<std::string> failed_lines(const Comparison& comparison) {
  std::vector<std::string> lines;
  for (const FailedRow& row : comparison.failed) {
    lines.push_back(fmt::format("{}: {} -> {}{}{}", row.key, row.a, row.b,
                                row.reason.empty() ? "" : ", ", row.reason));
  }
  return lines;
}

}  // namespace

void print_comparison_markdown(const Comparison& comparison, std::ostream& out) {
  std::vector<std::string> differences = comparison.notes;
  for (const EnvironmentDifference& one : comparison.environment) {
    differences.push_back(
        fmt::format("{} {}: {} -> {}", to_string(one.fact_class), one.fact, one.a, one.b));
  }
  print_list(differences, "Environments differ", out);
  fmt::print(out, "\n### {}\n\n", verdict_line(comparison));
  for (const std::string& line : method_lines(comparison))
    fmt::print(out, "{}  \n", markdown_text(line));
  std::vector<const CompareRow*> decided, open, same;
  for (const CompareRow& row : comparison.rows) {
    auto& group = row.verdict == Verdict::same           ? same
                  : row.verdict == Verdict::inconclusive ? open
                                                         : decided;
    group.push_back(&row);
  }
  if (!decided.empty()) {
    fmt::print(out, "\n");
    print_table(decided, out);
  }
  print_list(cause_lines(comparison), "Likely causes", out);
  print_list(finding_lines(comparison), "Also found", out);
  print_list(failed_lines(comparison), "Failed", out);
  print_list(comparison.only_a, "Missing in B", out);
  print_list(comparison.only_b, "New in B", out);
  print_folded("Inconclusive", open, out);
  print_folded("Same", same, out);
  out.flush();
}

}  // namespace scalemark::report
