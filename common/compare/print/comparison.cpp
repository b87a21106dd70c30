// SPDX-License-Identifier: Apache-2.0
// Selects the output format; formats rows and method for text and Markdown.
#include "common/compare/print/comparison.hpp"

#include <cmath>
#include <sstream>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/compare/print/formats.hpp"
#include "common/text/cells.hpp"
#include "common/text/fit.hpp"

namespace scalemark::compare {
namespace {

std::string plural(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// Runs per side that would decide an inconclusive row.
std::string needed_runs(const CompareRow& row) {
  if (row.runs_needed) return text::needed_runs_cell(*row.runs_needed);
  // Without repeated runs the noise is unknown; three per side are the minimum to estimate it.
  return std::isfinite(row.change) && std::isnan(row.low) ? ">=3" : "-";
}

/// The adjusted p of an inconclusive row whose interval lies beyond the threshold, to explain the
/// verdict.
std::string adjusted_p(const CompareRow& row) {
  if (row.verdict != Verdict::inconclusive || !row.beyond_threshold || !std::isfinite(row.q))
    return "";
  return fmt::format(" p={:.2g}", row.q);
}

}  // namespace

std::string signed_percent(double fraction) {
  if (!std::isfinite(fraction)) return "-";
  const double value = 100 * fraction;
  return fmt::format("{:+.{}f}", value, std::abs(value) < 9.95 ? 2 : 1);
}

std::vector<std::string> compare_formats() { return {"text", "md", "json", "csv", "junit"}; }

void print_comparison(const Comparison& comparison, std::string_view format, std::ostream& out,
                      const ComparePrintOptions& options) {
  if (format == "text") {
    std::ostringstream text;
    print_comparison_text(comparison, text, options);
    out << text::wrapped(text.view(), options.width) << std::flush;
    return;
  }
  if (format == "md") return print_comparison_markdown(comparison, out, options.all);
  if (format == "json") return print_comparison_json(comparison, out);
  if (format == "csv") return print_comparison_csv(comparison, out);
  if (format == "junit") return print_comparison_junit(comparison, out, options.strict);
  throw UsageError(fmt::format("--format is \"{}\"; allowed: {}", text::printable(format, 64),
                               text::join(compare_formats(), ", ")));
}

std::vector<std::string> row_cells(const CompareRow& row) {
  const std::string interval = std::isnan(row.low)
                                   ? "-"
                                   : fmt::format("[{}, {}]{}", signed_percent(row.low),
                                                 signed_percent(row.high), adjusted_p(row));
  return {std::string(to_string(row.verdict)),
          row.key,
          row.metric,
          units::quantity(row.a, row.unit),
          units::quantity(row.b, row.unit),
          signed_percent(row.change),
          interval,
          fmt::format("{} v {}", row.runs_a, row.runs_b),
          needed_runs(row),
          text::join(row.flags, ", ")};
}

std::string verdict_line(const Comparison& comparison) {
  return fmt::format("{}: {}, {} improved, {} same, {} inconclusive, {} failed, {} missing, {} new",
                     comparison.verdict(),
                     plural(comparison.count(Verdict::regression), "regression"),
                     comparison.count(Verdict::improved), comparison.count(Verdict::same),
                     comparison.count(Verdict::inconclusive), comparison.count_failed(),
                     comparison.only_a.size(), comparison.only_b.size());
}

std::vector<std::string> method_lines(const Comparison& comparison) {
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{}: {}", comparison.side_a.title("A"),
                              describe_side(comparison.side_a, comparison.runs_a)));
  lines.push_back(fmt::format("{}: {}", comparison.side_b.title("B"),
                              describe_side(comparison.side_b, comparison.runs_b)));
  lines.push_back(fmt::format("changes of up to {:g} % do not matter (--threshold)",
                              100 * comparison.options.threshold));
  lines.push_back(
      fmt::format("test: {}; {} {:g} %", comparison.method,
                  comparison.options.fwer ? "family-wise error rate" : "false discovery rate",
                  100 * comparison.options.alpha));
  for (std::string& line : overall_lines(comparison)) lines.push_back(std::move(line));
  if (std::isfinite(comparison.detectable)) {
    lines.push_back(fmt::format(
        "smallest change that these runs would find with 80 % power (median row): {:.2f} %",
        100 * comparison.detectable));
  }
  return lines;
}

}  // namespace scalemark::compare
