// SPDX-License-Identifier: Apache-2.0
// Verdicts in one sentence.
#include "common/html/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/base/text.hpp"
#include "common/compare/print/comparison.hpp"
#include "common/html/html.hpp"
#include "common/html/words.hpp"

namespace scalemark::html {
namespace {

/// Whether all metrics are times or rates: then the sentence says faster and slower.
bool are_speeds(const std::vector<compare::SystemRow>& rows) {
  return std::ranges::all_of(rows, [](const compare::SystemRow& row) {
    return row.unit == "s" || row.unit.ends_with("/s");
  });
}

std::string system_part(const compare::SystemTable& table, std::size_t system) {
  std::size_t better = 0, worse = 0, open = 0, untested = 0;
  for (const compare::SystemRow& row : table.rows) {
    const compare::SystemCell& cell = row.cells[system];
    if (row.better == Better::none || !std::isfinite(cell.ratio)) continue;
    if (!std::isfinite(cell.low)) {
      ++untested;
    } else if (cell.low > 1 || cell.high < 1) {
      ++((cell.low > 1) == (row.better == Better::higher) ? better : worse);
    } else {
      ++open;
    }
  }
  const bool speeds = are_speeds(table.rows);
  const char *more = speeds ? "faster" : "better", *less = speeds ? "slower" : "worse";
  const std::string cases = text::counted(better + worse + open + untested, "case");
  const std::string &name = table.names[system], &first = table.names[0];
  std::string text;
  if (better > 0)
    text = fmt::format("{} is {} than {} in {} of {}", name, more, first, better, cases);
  if (better > 0 && worse > 0) text += fmt::format(" and {} in {}", less, worse);
  if (better == 0 && worse > 0)
    text = fmt::format("{} is {} than {} in {} of {}", name, less, first, worse, cases);
  if (better + worse == 0) text = fmt::format("{} is not shown to differ from {}", name, first);
  if (open > 0) text += fmt::format("; {} {} undecided", open, open == 1 ? "is" : "are");
  if (untested > 0)
    text += fmt::format("; {} cannot be tested: that needs 2 runs per system", untested);
  return text + ".";
}

}  // namespace

std::string band(std::string_view mark, std::string_view word, std::string_view sentence,
                 const std::string& folded) {
  return fmt::format("<div class=\"verdict {}\"><b>{}</b>{}{}</div>\n", mark, text_of(word),
                     text_of(sentence, 1200), folded);
}

std::string verdict_sentence(const compare::Comparison& comparison, const SideNames& names) {
  return fmt::format("{} against {}: {}.", names.b, names.a, compare::summary_sentence(comparison));
}

std::string verdict_sentence(const compare::SystemTable& table) {
  if (table.rows.empty()) return "No case has a result on two systems.";
  std::vector<std::string> parts;
  for (std::size_t i = 1; i < table.names.size(); ++i) parts.push_back(system_part(table, i));
  return text::join(parts, " ");
}

std::string verdict_sentence(const compare::SelfTest& test) {
  if (test.tests == 0) return "No case has a usable result in enough runs: nothing was tested.";
  std::string sentence = fmt::format(
      "Of {} splits of these {} runs into two halves, {} {} a false verdict ({:.1f} %; up to {:g} "
      "% "
      "is expected).",
      test.splits, test.runs, test.false_tables, test.false_tables == 1 ? "gives" : "give",
      100 * test.false_table_rate(), 100 * test.options.alpha);
  if (std::isfinite(test.detectable)) {
    sentence += fmt::format(
        " In the median row, {} runs against {} find a change of {:.2g} % with 80 % power.",
        test.runs, test.runs, 100 * test.detectable);
  }
  return sentence;
}

}  // namespace scalemark::html
