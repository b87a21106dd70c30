// SPDX-License-Identifier: Apache-2.0
// Prints a comparison for a terminal: environment, verdict, rows (worst first), causes, summary.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/compare/print/flags.hpp"
#include "common/compare/print/formats.hpp"
#include "common/compare/print/table.hpp"

namespace scalemark::compare {
namespace {

std::string colored(std::string_view text, std::string_view verdict, bool color) {
  if (!color) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", verdict_color(verdict), text);
}

void print_environment(const Comparison& comparison, std::ostream& out) {
  fmt::print(out, "{}\n",
             comparison.environment.empty()
                 ? "environments: no difference found"
                 : fmt::format("environments differ ({} -> {}):", comparison.side_a.called("A"),
                               comparison.side_b.called("B")));
  for (const EnvironmentDifference& one : comparison.environment) {
    fmt::print(out, "  {:<8}  {}: {} -> {}\n", to_string(one.fact_class), one.fact, one.a, one.b);
  }
  const std::string line = one_side_line(comparison.environment_one_side);
  if (!line.empty()) fmt::print(out, "  {}\n", line);
}

void print_rows(const Comparison& comparison, std::ostream& out,
                const ComparePrintOptions& options) {
  bool folded = false;
  for (const FoldGroup& group : fold_rows(comparison.rows, options.all)) {
    const CompareTable table =
        compare_table(group, comparison.options.threshold, options.utf8, options.color);
    text::print_text_table(table.columns, table.rows, options.width, out);
    fmt::print(out, "\n");
    folded = folded || group.has_sweep();
  }
  if (folded) {
    fmt::print(out,
               "sweep: left = smallest value, above the middle = worse in B; numbers: the worst "
               "point; --all shows every row\n");
  }
}

void print_section(const std::vector<std::string>& lines, const std::string& title,
                   std::ostream& out) {
  if (lines.empty()) return;
  fmt::print(out, "\n{}:\n", title);
  for (const std::string& line : lines) fmt::print(out, "  {}\n", line);
}

void print_failed(const Comparison& comparison, std::ostream& out) {
  if (comparison.failed.empty()) return;
  fmt::print(out, "\nfailed ({} -> {}):\n", comparison.side_a.called("A"),
             comparison.side_b.called("B"));
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
  print_rows(comparison, out, options);
  print_section(flag_lines(comparison), "flags", out);
  print_section(cause_lines(comparison), "likely causes", out);
  print_section(finding_lines(comparison), "also found", out);
  print_failed(comparison, out);
  const std::string b = comparison.side_b.title("B");
  print_section(comparison.only_a, "missing in " + b, out);
  print_section(comparison.only_b, "new in " + b, out);
  fmt::print(out, "\n{}\n",
             colored(summary_sentence(comparison), comparison.verdict(), options.color));
  out.flush();
}

}  // namespace scalemark::compare
