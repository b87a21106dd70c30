// SPDX-License-Identifier: Apache-2.0
// Prints an A/A test as text and JSON.
#include <algorithm>
#include <cmath>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "common/base/counted.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/compare/print/formats.hpp"
#include "common/compare/print/planning.hpp"
#include "common/text/cells.hpp"
#include "common/text/fit.hpp"
#include "common/text/table.hpp"

namespace scalemark::compare {
namespace {

using nlohmann::ordered_json;

void print_rows(const char* title, const std::vector<const SelfTestRow*>& rows,
                const PlanPrintOptions& options, std::ostream& out) {
  if (rows.empty()) return;
  const std::size_t shown = options.all ? rows.size() : std::min(kPlanRows, rows.size());
  fmt::print(out, "\n{}{}:\n", title,
             shown < rows.size()
                 ? fmt::format(" ({} of {}; --all shows the others)", shown, rows.size())
                 : std::string());
  std::vector<text::TextRow> table;
  for (std::size_t i = 0; i < shown; ++i) {
    const SelfTestRow& row = *rows[i];
    table.push_back(
        {{std::to_string(row.false_verdicts), std::to_string(row.raw), std::to_string(row.tests),
          plain_percent(row.largest), plain_percent(row.spread), plain_percent(row.detectable),
          row.key, row.metric},
         ""});
  }
  text::print_text_table({{"false", true},
                          {"raw", true},
                          {"of", true},
                          {"largest %", true},
                          {"spread %", true},
                          {"detectable %", true},
                          {"case", false, true},
                          {"metric", false, false, true}},
                         table, options.width, out);
}

void print_keys(const char* title, const std::vector<std::string>& keys, std::ostream& out) {
  if (keys.empty()) return;
  fmt::print(out, "\n{}:\n", title);
  for (const std::string& key : keys) fmt::print(out, "  {}\n", key);
}

void print_summary(const SelfTest& test, std::ostream& out) {
  const std::string ways = test.all_ways ? fmt::format("all {} ways", test.splits)
                                         : fmt::format("{} random ways", test.splits);
  fmt::print(out, "A/A test: {} runs, split into {} v {} in {}; every difference found is false\n",
             test.runs, test.runs_a, test.runs_b, ways);
  fmt::print(out, "threshold {:g} %; test: {}\n", 100 * test.options.threshold, test.method);
  fmt::print(out, "\nsplits with a false verdict: {} of {} ({:.1f} %; up to {:g} % is expected)\n",
             test.false_tables, test.splits, 100 * test.false_table_rate(),
             100 * test.options.alpha);
  fmt::print(out, "false verdicts: {:.2f} per split, of {}\n",
             static_cast<double>(test.false_verdicts) / static_cast<double>(test.splits),
             text::counted(test.rows.size(), "row"));
  fmt::print(out, "raw rejections (95 % interval excludes 0): {} % of {} (5 % is expected)\n",
             plain_percent(test.raw_rate()), text::counted(test.tests, "test"));
  fmt::print(out, "spread of runs, median row: {} %\n", plain_percent(test.typical_spread));
  fmt::print(out, "change that {} v {} runs find with 80 % power, median row: {} %\n", test.runs,
             test.runs, plain_percent(test.detectable));
  if (test.splits < 20) {
    fmt::print(out, "note: {} of the same runs {} only a rough rate; 8 runs allow 35 splits\n",
               text::counted(test.splits, "split"), test.splits == 1 ? "gives" : "give");
  }
}

void print_text(const SelfTest& test, const PlanPrintOptions& options, std::ostream& out) {
  for (const EnvironmentDifference& one : test.environment) {
    fmt::print(out, "environments differ between runs: {} {}: {} | {}\n", to_string(one.fact_class),
               one.fact, one.a, one.b);
  }
  const std::string one_side = one_side_line(test.environment_one_side);
  if (!one_side.empty()) fmt::print(out, "environments: {}\n", one_side);
  for (const std::string& note : test.notes) fmt::print(out, "note: {}\n", note);
  print_summary(test, out);
  std::vector<const SelfTestRow*> alarming, least_sensitive;
  for (const SelfTestRow& row : test.rows) {
    if (row.raw > 0 || row.false_verdicts > 0) alarming.push_back(&row);
    if (std::isfinite(row.detectable)) least_sensitive.push_back(&row);
  }
  std::stable_sort(
      least_sensitive.begin(), least_sensitive.end(),
      [](const SelfTestRow* x, const SelfTestRow* y) { return x->detectable > y->detectable; });
  print_rows("rows with the most false alarms", alarming, options, out);
  print_rows("least sensitive rows: only a large change would be found", least_sensitive, options,
             out);
  print_keys("failed in a run", test.failed, out);
  print_keys("missing in a run", test.incomplete, out);
  out.flush();
}

}  // namespace

std::string plain_percent(double fraction) {
  return std::isfinite(fraction) ? fmt::format("{:.2f}", 100 * fraction) : std::string("-");
}

std::vector<std::string> plan_formats() { return {"text", "json"}; }

ordered_json to_json(const SelfTest& test) {
  ordered_json rows = ordered_json::array();
  for (const SelfTestRow& row : test.rows) {
    rows.push_back({{"key", row.key},
                    {"metric", row.metric},
                    {"tests", row.tests},
                    {"false_verdicts", row.false_verdicts},
                    {"raw_rejections", row.raw},
                    {"largest_change", text::json_number(row.largest)},
                    {"spread", text::json_number(row.spread)},
                    {"detectable", text::json_number(row.detectable)}});
  }
  return {{"format", "scalemark-self-test"},
          {"version", 1},
          {"runs", test.runs},
          {"runs_a", test.runs_a},
          {"runs_b", test.runs_b},
          {"splits", test.splits},
          {"all_ways", test.all_ways},
          {"false_tables", test.false_tables},
          {"false_table_rate", text::json_number(test.false_table_rate())},
          {"false_verdicts", test.false_verdicts},
          {"raw_rejections", test.raw},
          {"tests", test.tests},
          {"raw_rate", text::json_number(test.raw_rate())},
          {"typical_spread", text::json_number(test.typical_spread)},
          {"detectable", text::json_number(test.detectable)},
          {"threshold", test.options.threshold},
          {"alpha", test.options.alpha},
          {"method", test.method},
          {"rows", std::move(rows)},
          {"failed", test.failed},
          {"incomplete", test.incomplete},
          {"environment", environment_json(test.environment)},
          {"environment_one_side", environment_json(test.environment_one_side)},
          {"notes", test.notes}};
}

void print_self_test(const SelfTest& test, std::string_view format, std::ostream& out,
                     const PlanPrintOptions& options) {
  if (format == "text") {
    std::ostringstream text;
    print_text(test, options, text);
    out << text::wrapped(text.view(), options.width) << std::flush;
    return;
  }
  if (format != "json") {
    throw UsageError(fmt::format("--format is \"{}\"; with --aa allowed: {}",
                                 text::printable(format, 64), text::join(plan_formats(), ", ")));
  }
  out << to_json(test).dump(2) << '\n';
  out.flush();
}

}  // namespace scalemark::compare
