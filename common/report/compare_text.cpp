// SPDX-License-Identifier: Apache-2.0
// The comparison on a terminal: environment first, then the verdict, then the rows, worst first.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/report/compare_formats.hpp"
#include "common/report/compare_table.hpp"
#include "common/report/flag_words.hpp"

namespace scalemark::report {
namespace {

std::string colored(std::string_view text, std::string_view verdict, bool color) {
  if (!color) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", verdict_color(verdict), text);
}

void print_environment(const Comparison& comparison, std::ostream& out) {
  fmt::print(out, "{}\n",
             comparison.environment.empty() ? "environments: no difference found"
                                            : "environments differ (A -> B):");
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
    print_text_table(table.columns, table.rows, options.width, out);
    fmt::print(out, "\n");
    folded = folded || group.has_sweep();
  }
  if (folded) {
    fmt::print(out,
               "sweeps are drawn from few to many, a higher cost higher, their middle is no "
               "change; numbers are those of the worst point; --all shows every row\n");
  }
}

void print_section(const std::vector<std::string>& lines, const char* title, std::ostream& out) {
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
  print_rows(comparison, out, options);
  print_section(flag_lines(comparison), "flags", out);
  print_section(cause_lines(comparison), "likely causes", out);
  print_section(finding_lines(comparison), "also found", out);
  print_failed(comparison, out);
  print_section(comparison.only_a, "missing in B", out);
  print_section(comparison.only_b, "new in B", out);
  out.flush();
}

}  // namespace scalemark::report
