// SPDX-License-Identifier: Apache-2.0
// Sections of a comparison: verdict, worst rows, missing rows, differences of environment.
#include <algorithm>

#include <fmt/format.h>

#include "common/compare/print/comparison.hpp"
#include "common/compare/print/formats.hpp"
#include "common/html/drawing/change_chart.hpp"
#include "common/html/html.hpp"
#include "common/html/sections/sections.hpp"
#include "common/html/verdict.hpp"
#include "common/html/words.hpp"

namespace scalemark::html {
namespace {

constexpr std::size_t kWorst = 5;
constexpr std::size_t kMaxFindings = 200;
constexpr std::size_t kMaxCompared = 2500;

const char* mark_of(std::string_view verdict) {
  if (verdict == "REGRESSION" || verdict == "FAILED" || verdict == "MISSING" ||
      verdict == "NOTHING")
    return "bad";
  return verdict == "INCONCLUSIVE" ? "warn" : "good";
}

/// The most important columns come first, since a phone shows only those without scrolling.
std::vector<TableColumn> row_columns() {
  return {
      {"verdict"}, {"change %", true}, {"95 % interval", true}, {"case"}, {"metric"}, {"A", true},
      {"B", true}, {"runs", true},     {"runs needed", true},   {"flags"}};
}

TableRow row_of(const compare::CompareRow& row) {
  // Order of `cells`: verdict, case, metric, A, B, change, interval, runs, runs needed, flags.
  const std::vector<std::string> cells = compare::row_cells(row);
  return {{cells[0], cells[5], cells[6], key_text(cells[1]), cells[2], cells[3], cells[4], cells[7],
           cells[8], cells[9]},
          mark_of(compare::to_string(row.verdict))};
}

std::string compared_table(std::string_view caption, const std::vector<TableRow>& rows) {
  return table(caption, row_columns(), rows, "compared");
}

std::string keys_table(const char* title, const std::vector<std::string>& keys) {
  if (keys.empty()) return {};
  std::vector<TableRow> rows;
  for (const std::string& key : keys) {
    if (rows.size() == kMaxCompared) break;
    rows.push_back({{key}, ""});
  }
  return table(fmt::format("{} ({})", title, keys.size()), {{"case"}}, rows);
}

}  // namespace

std::string verdict_band(const compare::Comparison& comparison, const SideNames& names) {
  const std::string line = compare::verdict_line(comparison);
  std::string details =
      fmt::format("<span class=\"sub\">{}</span>\n",
                  text_of(line.substr(std::min(line.find(": ") + 2, line.size()))));
  for (const std::string& sentence : compare::method_lines(comparison))
    details += fmt::format("<span class=\"sub\">{}</span>\n", text_of(sentence));
  return band(mark_of(comparison.verdict()), comparison.verdict(),
              verdict_sentence(comparison, names), folded("Counts and method", details));
}

std::string findings(const compare::Comparison& comparison) {
  std::vector<TableRow> rows;
  for (const compare::Finding& one : comparison.findings) {
    if (rows.size() == kMaxFindings) break;
    rows.push_back({{one.kind, one.side, one.subject, one.text}, "warn"});
  }
  if (rows.empty()) return {};
  return table("Further findings, which do not affect the verdict",
               {{"what"}, {"side"}, {"where"}, {"finding"}}, rows);
}

std::string worst_rows(const compare::Comparison& comparison) {
  std::vector<TableRow> worst, better;
  for (const compare::CompareRow& row : comparison.rows) {
    if (row.verdict == compare::Verdict::regression && worst.size() < kWorst)
      worst.push_back(row_of(row));
    if (row.verdict == compare::Verdict::improved && better.size() < kWorst)
      better.push_back(row_of(row));
  }
  std::string html;
  if (!worst.empty()) html += compared_table("Regressions, largest first", worst);
  if (!better.empty()) html += compared_table("Improvements, largest first", better);
  if (worst.empty() && better.empty() && !comparison.rows.empty()) {
    std::vector<TableRow> largest;
    for (const compare::CompareRow& row : comparison.rows) {
      if (largest.size() < kWorst) largest.push_back(row_of(row));
    }
    html += note("No row was found to differ. The largest changes, none of them established:");
    html += compared_table("Largest changes", largest);
  }
  return change_chart(comparison) + html;
}

std::string environment_differences(const compare::Comparison& comparison) {
  std::string html;
  for (const std::string& line : comparison.notes) html += note(line);
  std::string causes;
  for (const std::string& line : compare::cause_lines(comparison))
    causes += fmt::format("<li>{}</li>\n", text_of(line));
  if (!causes.empty())
    html += fmt::format("<h3>Likely causes, most likely first</h3>\n<ol>{}</ol>\n", causes);
  const std::string one_side = compare::one_side_line(comparison.environment_one_side);
  if (!one_side.empty()) html += note(one_side + ".");
  if (comparison.environment.empty())
    return html + note("No difference was found between the environments of both sides.");
  std::vector<TableRow> rows;
  for (const compare::EnvironmentDifference& one : comparison.environment) {
    const bool other = one.fact_class == compare::FactClass::identity;
    rows.push_back(
        {{std::string(to_string(one.fact_class)), one.fact, one.a, one.b}, other ? "bad" : "warn"});
  }
  html += note(
      "identity: another machine or job layout, so the numbers are not comparable; suspect: a "
      "possible cause of changed rows.");
  return html + table("Differences of the environments", {{"class"}, {"fact"}, {"A"}, {"B"}}, rows);
}

std::string failed_and_missing(const compare::Comparison& comparison) {
  std::string html;
  if (!comparison.failed.empty()) {
    std::vector<TableRow> rows;
    for (const compare::FailedRow& row : comparison.failed) {
      if (rows.size() == kMaxCompared) break;
      rows.push_back({{row.counts ? "counts" : "known", row.key, row.a, row.b, row.reason},
                      row.counts ? "bad" : "warn"});
    }
    html += table("Failed", {{"against B"}, {"case"}, {"A"}, {"B"}, {"reason"}}, rows);
  }
  html += keys_table("Missing in B", comparison.only_a);
  html += keys_table("New in B", comparison.only_b);
  return html;
}

std::string compared_rows(const compare::Comparison& comparison) {
  std::vector<TableRow> rows;
  std::size_t bytes = 0;
  for (const compare::CompareRow& row : comparison.rows) {
    rows.push_back(row_of(row));
    for (const std::string& text : rows.back().cells) bytes += text.size() + 40;
    if (bytes > 2 * kRowBytes) break;
  }
  if (rows.empty()) return {};
  std::string html = compared_table("Worst first", rows);
  if (rows.size() < comparison.rows.size()) {
    html += note(fmt::format("{} more rows are not on this page; --format json has them.",
                             comparison.rows.size() - rows.size()));
  }
  return html;
}

std::string comparison_data(const compare::Comparison& comparison) {
  nlohmann::ordered_json json = compare::to_json(comparison);
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  std::swap(rows, json["rows"]);
  std::size_t bytes = 0, kept = 0;
  for (nlohmann::ordered_json& row : rows) {
    bytes += row.dump().size();
    if (bytes > kDataBytes) break;
    json["rows"].push_back(std::move(row));
    ++kept;
  }
  return copyable(fmt::format("Comparison as JSON ({} of {} rows)", kept, rows.size()),
                  json.dump(1));
}

}  // namespace scalemark::html
