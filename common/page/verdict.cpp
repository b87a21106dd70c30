// SPDX-License-Identifier: Apache-2.0
// Verdicts in one sentence.
#include "common/page/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/page/html.hpp"
#include "common/page/words.hpp"

namespace scalemark::page {
namespace {

using report::Verdict;

/// The rows' metrics are times and rates, of which people say faster and slower.
template <class Rows>
bool are_speeds(const Rows& rows) {
  return std::ranges::all_of(
      rows, [](const auto& row) { return row.unit == "s" || row.unit.ends_with("/s"); });
}

/// "memcpy 64 MiB h2h (time +327 %)" of the row that changed most for the verdict.
std::string most_changed(const report::Comparison& comparison, Verdict verdict) {
  const report::CompareRow* most = nullptr;
  const auto size = [](const report::CompareRow& row) { return std::abs(std::log1p(row.change)); };
  for (const report::CompareRow& row : comparison.rows) {
    if (row.verdict == verdict && std::isfinite(row.change) &&
        (most == nullptr || size(row) > size(*most)))
      most = &row;
  }
  if (most == nullptr) return {};
  return fmt::format("{} ({} {:+.3g} %)", brief_key(most->key), most->metric, 100 * most->change);
}

/// What failed or is missing, which is worse than any change.
std::vector<std::string> losses_of(const report::Comparison& comparison) {
  std::vector<std::string> losses;
  if (const std::size_t failed = comparison.count_failed(); failed > 0)
    losses.push_back(plural(failed, "case") + " failed");
  if (!comparison.only_a.empty())
    losses.push_back(plural(comparison.only_a.size(), "case") + " missing");
  return losses;
}

std::string system_part(const report::SystemTable& table, std::size_t system) {
  std::size_t better = 0, worse = 0, open = 0, untested = 0;
  for (const report::SystemRow& row : table.rows) {
    const report::SystemCell& cell = row.cells[system];
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
  const std::string cases = plural(better + worse + open + untested, "case");
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
    text += fmt::format("; {} cannot be tested, which takes two runs of each system", untested);
  return text + ".";
}

}  // namespace

std::string band(std::string_view mark, std::string_view word, std::string_view sentence,
                 const std::string& folded) {
  return fmt::format("<div class=\"verdict {}\"><b>{}</b>{}{}</div>\n", mark, text_of(word),
                     text_of(sentence, 1200), folded);
}

std::string verdict_sentence(const report::Comparison& comparison, const SideNames& names) {
  const std::size_t slower = comparison.count(Verdict::regression),
                    faster = comparison.count(Verdict::improved),
                    open = comparison.count(Verdict::inconclusive), rows = comparison.rows.size();
  const std::vector<std::string> losses = losses_of(comparison);
  std::string sentence = losses.empty() ? std::string() : text::join(losses, " and ") + " in B. ";
  if (rows == 0) return sentence + "No case has a usable result on both sides.";
  const bool speeds = are_speeds(comparison.rows);
  const std::string of_all = fmt::format("of {}", plural(rows, "case"));
  const char *more = speeds ? "slower" : "worse", *less = speeds ? "faster" : "better";
  if (slower + faster == 0) {
    sentence += open == 0 ? fmt::format("{} is as {} as {} in all {}, within {:g} %", names.b,
                                        speeds ? "fast" : "good", names.a, plural(rows, "case"),
                                        100 * comparison.options.threshold)
                          : fmt::format("{} is neither shown to be {} nor {} than {}", names.b,
                                        more, less, names.a);
  } else {
    const Verdict first = slower > 0 ? Verdict::regression : Verdict::improved;
    sentence += fmt::format("{} is {} than {} in {} {}", names.b, slower > 0 ? more : less, names.a,
                            slower > 0 ? slower : faster, of_all);
    if (slower > 0 && faster > 0) sentence += fmt::format(" and {} in {}", less, faster);
    if (const std::string most = most_changed(comparison, first); !most.empty())
      sentence += fmt::format(", most in {}", most);
  }
  if (open > 0) sentence += fmt::format("; {} {} undecided", open, open == 1 ? "is" : "are");
  return sentence + ".";
}

std::string verdict_sentence(const report::SystemTable& table) {
  if (table.rows.empty()) return "No case has a result on two systems.";
  std::vector<std::string> parts;
  for (std::size_t i = 1; i < table.names.size(); ++i) parts.push_back(system_part(table, i));
  return text::join(parts, " ");
}

std::string verdict_sentence(const report::SelfTest& test) {
  if (test.tests == 0) return "No case has a usable result in enough runs: nothing was tested.";
  std::string sentence = fmt::format(
      "Of {} splits of these {} runs into two halves, {} {} a false verdict ({:.1f} %; up to {:g} "
      "% "
      "is expected).",
      test.splits, test.runs, test.false_tables, test.false_tables == 1 ? "gives" : "give",
      100 * test.false_table_rate(), 100 * test.options.alpha);
  if (std::isfinite(test.detectable)) {
    sentence += fmt::format(
        " In the middle row {} runs against {} find a change of {:.2g} % in 8 of 10 cases.",
        test.runs, test.runs, 100 * test.detectable);
  }
  return sentence;
}

}  // namespace scalemark::page
