// SPDX-License-Identifier: Apache-2.0
// Prints a comparison as JSON (scalemark-compare, version 1) and CSV.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/base/text.hpp"
#include "common/compare/print/formats.hpp"
#include "common/text/cells.hpp"

namespace scalemark::compare {
namespace {

using nlohmann::ordered_json;

ordered_json interval_json(double low, double high) {
  return ordered_json::array({text::json_number(low), text::json_number(high)});
}

ordered_json secondary_json(const CompareRow& row) {
  ordered_json secondary = ordered_json::array();
  for (const SecondaryMetric& one : row.secondary) {
    secondary.push_back({{"metric", one.metric},
                         {"unit", one.unit},
                         {"better", to_string(one.better)},
                         {"a", text::json_number(one.a)},
                         {"b", text::json_number(one.b)},
                         {"change", text::json_number(one.change)}});
  }
  return secondary;
}

ordered_json row_json(const CompareRow& row) {
  return {{"key", row.key},
          {"metric", row.metric},
          {"unit", row.unit},
          {"a", text::json_number(row.a)},
          {"b", text::json_number(row.b)},
          {"change", text::json_number(row.change)},
          {"interval", interval_json(row.low, row.high)},
          {"p", text::json_number(row.p)},
          {"q", text::json_number(row.q)},
          {"verdict", to_string(row.verdict)},
          {"runs_needed", row.runs_needed ? ordered_json(*row.runs_needed) : ordered_json(nullptr)},
          {"flags", row.flags},
          {"better", to_string(row.better)},
          {"runs_a", row.runs_a},
          {"runs_b", row.runs_b},
          {"detectable", text::json_number(row.detectable)},
          {"secondary", secondary_json(row)}};
}

ordered_json counts_json(const Comparison& comparison) {
  return {{"regression", comparison.count(Verdict::regression)},
          {"improved", comparison.count(Verdict::improved)},
          {"same", comparison.count(Verdict::same)},
          {"inconclusive", comparison.count(Verdict::inconclusive)},
          {"failed", comparison.count_failed()},
          {"only_a", comparison.only_a.size()},
          {"only_b", comparison.only_b.size()},
          {"runs_a", comparison.runs_a},
          {"runs_b", comparison.runs_b}};
}

ordered_json shift_json(const WholeRunShift& shift) {
  return {{"change", text::json_number(shift.change)},
          {"interval", interval_json(shift.low, shift.high)},
          {"p", text::json_number(shift.p)},
          {"rows", shift.rows},
          {"removed", shift.removed}};
}

ordered_json geomeans_json(const Comparison& comparison) {
  ordered_json means = ordered_json::array();
  for (const GeometricMean& one : comparison.geomeans) {
    means.push_back({{"metric", one.metric},
                     {"unit", one.unit},
                     {"better", to_string(one.better)},
                     {"rows", one.rows},
                     {"change", text::json_number(one.change)},
                     {"interval", interval_json(one.low, one.high)}});
  }
  return means;
}

ordered_json findings_json(const Comparison& comparison) {
  ordered_json findings = ordered_json::array();
  for (const Finding& one : comparison.findings) {
    ordered_json numbers = ordered_json::object();
    for (const auto& [name, value] : one.numbers) numbers[name] = text::json_number(value);
    findings.push_back({{"kind", one.kind},
                        {"side", one.side},
                        {"subject", one.subject},
                        {"text", one.text},
                        {"numbers", std::move(numbers)}});
  }
  return findings;
}

ordered_json causes_json(const Comparison& comparison) {
  ordered_json causes = ordered_json::array();
  for (const LikelyCause& one : comparison.causes) {
    causes.push_back({{"kind", one.kind},
                      {"fact", one.fact},
                      {"class", to_string(one.fact_class)},
                      {"a", one.a},
                      {"b", one.b},
                      {"separates", one.separates},
                      {"rows", one.rows},
                      {"text", one.text}});
  }
  return causes;
}

ordered_json side_json(const SideFacts& side, std::size_t runs) {
  return {{"name", side.name.empty() ? ordered_json(nullptr) : ordered_json(side.name)},
          {"runs", runs},
          {"hosts", side.hosts},
          {"first", side.first.empty() ? ordered_json(nullptr) : ordered_json(side.first)},
          {"last", side.last.empty() ? ordered_json(nullptr) : ordered_json(side.last)},
          {"revisions", side.revisions}};
}

}  // namespace

ordered_json environment_json(std::span<const EnvironmentDifference> facts) {
  ordered_json list = ordered_json::array();
  for (const EnvironmentDifference& one : facts) {
    list.push_back(
        {{"fact", one.fact}, {"class", to_string(one.fact_class)}, {"a", one.a}, {"b", one.b}});
  }
  return list;
}

ordered_json to_json(const Comparison& comparison) {
  ordered_json rows = ordered_json::array(), failed = ordered_json::array();
  for (const CompareRow& row : comparison.rows) rows.push_back(row_json(row));
  for (const FailedRow& row : comparison.failed) {
    failed.push_back({{"key", row.key},
                      {"a", row.a},
                      {"b", row.b},
                      {"reason", row.reason},
                      {"counts", row.counts}});
  }
  return {{"format", "scalemark-compare"},
          {"version", 1},
          {"verdict", comparison.verdict()},
          {"counts", counts_json(comparison)},
          {"rows", std::move(rows)},
          {"only_a", comparison.only_a},
          {"only_b", comparison.only_b},
          {"environment", environment_json(comparison.environment)},
          {"failed", std::move(failed)},
          {"notes", comparison.notes},
          {"threshold", comparison.options.threshold},
          {"alpha", comparison.options.alpha},
          {"method", comparison.method},
          {"median_change", text::json_number(comparison.median_change)},
          {"detectable", text::json_number(comparison.detectable)},
          {"shift", shift_json(comparison.shift)},
          {"geomeans", geomeans_json(comparison)},
          {"findings", findings_json(comparison)},
          {"causes", causes_json(comparison)},
          {"environment_one_side", environment_json(comparison.environment_one_side)},
          {"sides",
           {{"a", side_json(comparison.side_a, comparison.runs_a)},
            {"b", side_json(comparison.side_b, comparison.runs_b)}}},
          {"summary", summary_sentence(comparison)}};
}

void print_comparison_json(const Comparison& comparison, std::ostream& out) {
  out << to_json(comparison).dump(2) << '\n';
  out.flush();
}

void print_comparison_csv(const Comparison& comparison, std::ostream& out) {
  fmt::print(
      out,
      "key,metric,unit,better,a,b,change,low,high,p,q,verdict,runs_a,runs_b,runs_needed,flags,"
      "side_a,side_b\n");
  const std::string sides = fmt::format("{},{}", text::csv_cell(comparison.side_a.called("A")),
                                        text::csv_cell(comparison.side_b.called("B")));
  for (const CompareRow& row : comparison.rows) {
    fmt::print(out, "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", text::csv_cell(row.key),
               text::csv_cell(row.metric), text::csv_cell(row.unit), to_string(row.better),
               text::csv_number(row.a), text::csv_number(row.b), text::csv_number(row.change),
               text::csv_number(row.low), text::csv_number(row.high), text::csv_number(row.p),
               text::csv_number(row.q), to_string(row.verdict), row.runs_a, row.runs_b,
               row.runs_needed ? std::to_string(*row.runs_needed) : "",
               text::csv_cell(text::join(row.flags, " ")), sides);
  }
  // Cases without numbers also get a line, so that no case is missing from the output.
  const auto bare = [&](const std::string& key, const char* verdict, const std::string& note) {
    fmt::print(out, "{},,,,,,,,,,,{},,,,{},{}\n", text::csv_cell(key), verdict,
               text::csv_cell(note), sides);
  };
  for (const FailedRow& row : comparison.failed) {
    bare(row.key, "FAILED", fmt::format("{} -> {} {}", row.a, row.b, row.reason));
  }
  for (const std::string& key : comparison.only_a) bare(key, "MISSING", "");
  for (const std::string& key : comparison.only_b) bare(key, "NEW", "");
  out.flush();
}

}  // namespace scalemark::compare
