// SPDX-License-Identifier: Apache-2.0
// Prints a comparison as Markdown for a merge request: changed rows visible, other rows folded.
#include <set>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/compare/print/flags.hpp"
#include "common/compare/print/formats.hpp"
#include "common/compare/print/table.hpp"
#include "common/text/cells.hpp"

namespace scalemark::compare {
namespace {

void print_cells(const std::vector<std::string>& cells, std::ostream& out) {
  for (const std::string& cell : cells) fmt::print(out, "| {} ", text::markdown_text(cell));
  fmt::print(out, "|\n");
}

/// The lines whose worst row has one of the verdicts, grouped by benchmark.
std::vector<FoldGroup> lines_with(const std::vector<FoldGroup>& groups,
                                  const std::set<Verdict>& verdicts) {
  std::vector<FoldGroup> chosen;
  for (const FoldGroup& group : groups) {
    FoldGroup part = group;
    std::erase_if(part.folds,
                  [&](const Fold& fold) { return !verdicts.contains(fold.worst->verdict); });
    if (!part.folds.empty()) chosen.push_back(std::move(part));
  }
  return chosen;
}

void print_tables(const std::vector<FoldGroup>& groups, double threshold, std::ostream& out) {
  for (const FoldGroup& group : groups) {
    const CompareTable table = compare_table(group, threshold, true, false);
    std::vector<std::string> headers;
    std::string rule;
    for (const text::TextColumn& column : table.columns) {
      headers.push_back(column.header);
      rule += column.number ? "| ---: " : "| --- ";
    }
    fmt::print(out, "\n");
    print_cells(headers, out);
    fmt::print(out, "{}|\n", rule);
    for (const text::TextRow& row : table.rows) print_cells(row.cells, out);
  }
}

void print_folded(const char* title, const std::vector<FoldGroup>& groups, double threshold,
                  std::ostream& out) {
  if (groups.empty()) return;
  std::size_t rows = 0;
  for (const FoldGroup& group : groups) {
    for (const Fold& fold : group.folds) rows += fold.rows.size();
  }
  fmt::print(out, "\n<details><summary>{} ({})</summary>\n", title, rows);
  print_tables(groups, threshold, out);
  fmt::print(out, "\n</details>\n");
}

void print_folded(const std::vector<std::string>& lines, const std::string& title,
                  std::ostream& out) {
  if (lines.empty()) return;
  fmt::print(out, "\n**{}**\n\n", text::markdown_text(title));
  for (const std::string& line : lines) fmt::print(out, "- {}\n", text::markdown_text(line));
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

void print_comparison_markdown(const Comparison& comparison, std::ostream& out, bool all) {
  std::vector<std::string> differences;
  for (const EnvironmentDifference& one : comparison.environment) {
    differences.push_back(
        fmt::format("{} {}: {} -> {}", to_string(one.fact_class), one.fact, one.a, one.b));
  }
  print_folded(differences, "Environments differ", out);
  const std::string one_side = one_side_line(comparison.environment_one_side);
  if (!one_side.empty()) fmt::print(out, "\n{}\n", one_side);
  fmt::print(out, "\n### {}\n\n", verdict_line(comparison));
  fmt::print(out, "**{}**\n\n", text::markdown_text(summary_sentence(comparison)));
  for (const std::string& line : method_lines(comparison))
    fmt::print(out, "{}  \n", text::markdown_text(line));
  for (const std::string& note : comparison.notes)
    fmt::print(out, "note: {}  \n", text::markdown_text(note));
  const std::vector<FoldGroup> groups = fold_rows(comparison.rows, all);
  const double threshold = comparison.options.threshold;
  print_tables(lines_with(groups, {Verdict::regression, Verdict::improved}), threshold, out);
  print_folded(cause_lines(comparison), "Likely causes", out);
  print_folded(flag_lines(comparison), "Flags", out);
  print_folded(finding_lines(comparison), "Also found", out);
  print_folded(failed_lines(comparison), "Failed", out);
  const std::string b = comparison.side_b.title("B");
  print_folded(comparison.only_a, "Missing in " + b, out);
  print_folded(comparison.only_b, "New in " + b, out);
  print_folded("Inconclusive", lines_with(groups, {Verdict::inconclusive}), threshold, out);
  print_folded("Same", lines_with(groups, {Verdict::same}), threshold, out);
  out.flush();
}

}  // namespace scalemark::compare
