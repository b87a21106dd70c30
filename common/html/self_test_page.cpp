// SPDX-License-Identifier: Apache-2.0
// The page about the noise of one machine: how often its runs give a false verdict, and which
// change they would detect.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/compare/print/planning.hpp"
#include "common/html/drawing/bars.hpp"
#include "common/html/html.hpp"
#include "common/html/machine.hpp"
#include "common/html/page.hpp"
#include "common/html/sections/sections.hpp"
#include "common/html/verdict.hpp"
#include "common/html/words.hpp"

namespace scalemark::html {
namespace {

constexpr std::size_t kMaxNoisy = 20, kMaxTested = 2500;

std::string percent_text(double fraction) {
  return std::isfinite(fraction) ? compare::plain_percent(fraction) + " %" : "unknown";
}

std::string noise_tile(const std::string& title, const std::string& value, const std::string& sub) {
  return fmt::format(
      "<li><span class=\"sub\">{}</span><b>{}</b><span class=\"sub\">{}</span></li>\n",
      text_of(title), text_of(value), text_of(sub));
}

std::string noise_tiles(const compare::SelfTest& test) {
  std::string html = "<ul class=\"tiles\">\n";
  html += noise_tile("False tables", fmt::format("{} of {}", test.false_tables, test.splits),
                     fmt::format("splits with a false verdict; up to {:g} % are expected",
                                 100 * test.options.alpha));
  html += noise_tile("Raw rejections", percent_text(test.raw_rate()),
                     fmt::format("of {}; 5 % are expected", text::counted(test.tests, "test")));
  html += noise_tile("Spread of runs", percent_text(test.typical_spread),
                     "standard deviation over runs, median row");
  html += noise_tile(
      "Change that these runs find", percent_text(test.detectable),
      fmt::format("median row, {} against {} runs, with 80 % power", test.runs, test.runs));
  return html + "</ul>\n";
}

std::vector<const compare::SelfTestRow*> noisiest(const compare::SelfTest& test) {
  std::vector<const compare::SelfTestRow*> rows;
  for (const compare::SelfTestRow& row : test.rows) {
    if (std::isfinite(row.detectable) && row.detectable > 0) rows.push_back(&row);
  }
  std::ranges::stable_sort(rows, std::ranges::greater(),
                           [](const compare::SelfTestRow* row) { return row->detectable; });
  return rows;
}

std::string noise_bars(const compare::SelfTest& test) {
  BarGroup group{"", "", {}};
  const std::vector<const compare::SelfTestRow*> rows = noisiest(test);
  for (const compare::SelfTestRow* row : rows) {
    if (group.bars.size() == kMaxNoisy) break;
    const std::string text = percent_text(row->detectable);
    group.bars.push_back({key_text(row->key), row->detectable, text,
                          fmt::format("{}: a change of {} is found; spread of runs {}",
                                      key_text(row->key), text, percent_text(row->spread)),
                          row->false_verdicts > 0 ? 1U : 0U});
  }
  return bar_figure(
      fmt::format("Smallest change that {} against {} runs find", test.runs, test.runs),
      fmt::format(
          "with 80 % power; the noisiest {} of {} rows{}", group.bars.size(), rows.size(),
          test.false_verdicts > 0 ? "; a row in the second colour had a false verdict" : ""),
      {group});
}

std::string tested_rows(const compare::SelfTest& test) {
  std::vector<TableRow> rows;
  for (const compare::SelfTestRow& row : test.rows) {
    if (rows.size() == kMaxTested) break;
    rows.push_back(
        {{fmt::format("{} of {}", row.false_verdicts, row.tests),
          fmt::format("{} of {}", row.raw, row.tests), percent_text(row.largest),
          percent_text(row.spread), percent_text(row.detectable), key_text(row.key), row.metric},
         row.false_verdicts > 0 ? "warn" : ""});
  }
  if (rows.empty()) return {};
  return table("Rows with the most false alarms first; each split counts once",
               {{"false verdicts"},
                {"95 % interval without 0"},
                {"largest change", true},
                {"spread of runs", true},
                {"change that is found", true},
                {"case"},
                {"metric"}},
               rows, "tested");
}

std::string lost_rows(const compare::SelfTest& test) {
  std::vector<TableRow> rows;
  for (const std::string& key : test.failed)
    rows.push_back({{"failed in a run", key_text(key)}, "bad"});
  for (const std::string& key : test.incomplete)
    rows.push_back({{"missing in a run", key_text(key)}, "warn"});
  if (rows.size() > kMaxTested) rows.resize(kMaxTested);
  return rows.empty() ? std::string() : table("Not in all runs", {{"what"}, {"case"}}, rows);
}

std::string unequal_facts(const compare::SelfTest& test) {
  std::vector<TableRow> rows;
  for (const compare::EnvironmentDifference& one : test.environment)
    rows.push_back({{std::string(to_string(one.fact_class)), one.fact, one.a, one.b}, "warn"});
  if (rows.empty()) return {};
  return table("Facts that differ between the first run and the others",
               {{"class"}, {"fact"}, {"first run"}, {"others"}}, rows);
}

std::string self_test_data(const compare::SelfTest& test) {
  nlohmann::ordered_json json = compare::to_json(test);
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  std::swap(rows, json["rows"]);
  std::size_t bytes = 0;
  for (nlohmann::ordered_json& row : rows) {
    bytes += row.dump().size();
    if (bytes > kDataBytes) break;
    json["rows"].push_back(std::move(row));
  }
  return copyable(fmt::format("A/A test as JSON ({} of {} rows)", json["rows"].size(), rows.size()),
                  json.dump(1));
}

}  // namespace

std::string self_test_page(const compare::SelfTest& test, std::span<const RunExtract> runs) {
  const bool quiet = test.tests > 0 && test.false_table_rate() <= test.options.alpha;
  std::string method = fmt::format("<span class=\"sub\">test: {}</span>\n", text_of(test.method));
  method +=
      fmt::format("<span class=\"sub\">threshold: changes of up to {:g} % do not count</span>\n",
                  100 * test.options.threshold);
  method += fmt::format("<span class=\"sub\">{} splits into {} and {} runs{}</span>\n", test.splits,
                        test.runs_a, test.runs_b,
                        test.all_ways ? ", all that exist" : ", drawn at random");
  std::string header = "<h1>Noise of one machine (A/A test)</h1>\n";
  header += band(quiet ? "good" : "warn",
                 test.tests == 0 ? "NOTHING TESTED"
                 : quiet ? (test.false_tables == 0 ? "NO FALSE VERDICT" : "FEW FALSE VERDICTS")
                         : "FALSE VERDICTS",
                 verdict_sentence(test), folded("Method", method));
  for (const std::string& one : test.notes) header += note(one);
  if (test.splits < 20)
    header +=
        note(fmt::format("{} of the same runs give only a rough rate; 8 runs allow 35 splits.",
                         text::counted(test.splits, "split")));
  header += fmt::format("<div class=\"first\">\n{}{}</div>\n", noise_tiles(test),
                        machine_card({{"", runs}}));
  const std::vector<std::pair<const char*, std::pair<const char*, std::string>>> all = {
      {"noise", {"Which changes are found", noise_bars(test)}},
      {"all", {"All rows", tested_rows(test)}},
      {"lost", {"Failed and missing", lost_rows(test)}},
      {"comparable", {"Were the runs made under the same conditions?", unequal_facts(test)}},
      {"runs", {"Runs on this page", runs_table(runs)}},
      {"data", {"Data to copy", self_test_data(test)}}};
  std::vector<Section> sections;
  for (const auto& [id, section] : all) {
    if (!section.second.empty()) sections.push_back({id, section.first, section.second});
  }
  return document("Scalemark A/A test", header, sections, page_footer());
}

}  // namespace scalemark::html
