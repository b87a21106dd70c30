// SPDX-License-Identifier: Apache-2.0
// What a page says first: counts, the runs, what stands out, what was not measured.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "common/base/units.hpp"
#include "common/page/html.hpp"
#include "common/page/sections.hpp"

namespace scalemark::page {
namespace {

constexpr std::size_t kNotable = 5;
constexpr std::size_t kMostReasons = 100;

/// The status that says most of a row: ok where any run has it.
Status status_of(const Row& row) { return row.ok() ? Status::ok : row.cases.front()->status; }

bool is_failure(Status status) { return status != Status::ok && status != Status::skipped; }

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// What stands out, with the size by which it is ordered.
struct Finding {
  double size = 0;
  std::vector<std::string> cells;
};

void keep_largest(std::vector<Finding>& findings) {
  std::ranges::stable_sort(findings, std::ranges::greater(), &Finding::size);
  if (findings.size() > kNotable) findings.resize(kNotable);
}

std::string findings_table(const char* title, const std::vector<TableColumn>& columns,
                           std::vector<Finding> findings) {
  keep_largest(findings);
  if (findings.empty()) return {};
  std::vector<TableRow> rows;
  for (Finding& finding : findings) rows.push_back({std::move(finding.cells), ""});
  return table(title, columns, rows);
}

/// Rows whose runs differ most.
std::string unsteady_runs(const std::vector<Row>& rows) {
  std::vector<Finding> findings;
  for (const Row& row : rows) {
    if (!row.ok() || row.sample().quantities.empty()) continue;
    const Quantity& primary = row.sample().quantities.front();
    const RowValue value = row.value(primary.name);
    if (value.runs < 2 || !(value.low > 0)) continue;
    const double spread = value.high / value.low - 1;
    if (spread < 0.05) continue;
    findings.push_back(
        {spread,
         {row.key, primary.name, units::quantity(value.low, primary.unit),
          units::quantity(value.high, primary.unit), units::percent_change(1 + spread)}});
  }
  return findings_table(
      "Runs that differ most from each other (least and largest median)",
      {{"case"}, {"metric"}, {"least", true}, {"largest", true}, {"spread", true}},
      std::move(findings));
}

/// Rows whose median is known least well within a run.
std::string wide_rows(const std::vector<Row>& rows) {
  std::vector<Finding> findings;
  for (const Row& row : rows) {
    for (const CaseExtract* one : row.cases) {
      if (one->status != Status::ok || one->quantities.empty()) continue;
      const Quantity& primary = one->quantities.front();
      const Summary& summary = primary.summary;
      const double width = (summary.high - summary.low) / summary.median;
      if (!(width > 0.1)) continue;
      findings.push_back({width,
                          {row.key, primary.name, units::quantity(summary.median, primary.unit),
                           fmt::format("[{}, {}]", units::quantity(summary.low, primary.unit),
                                       units::quantity(summary.high, primary.unit)),
                           std::to_string(summary.n)}});
      break;
    }
  }
  return findings_table(
      "Medians known least well (wide interval within the run)",
      {{"case"}, {"metric"}, {"median", true}, {"95 % interval", true}, {"iterations", true}},
      std::move(findings));
}

/// Ranks that are slower than the others at their own work.
std::string slow_ranks(const std::vector<Row>& rows, std::span<const RunExtract> runs) {
  std::vector<Finding> findings;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.cases.size(); ++i) {
      const std::optional<RankGrid>& grid = row.cases[i]->grid;
      if (!grid || grid->collective) continue;
      const auto slowest = std::ranges::max_element(grid->effects);
      if (*slowest < 1.02F) continue;
      const auto rank = static_cast<std::size_t>(slowest - grid->effects.begin());
      const std::vector<RankInfo>& ranks = runs[row.run_numbers[i]].ranks;
      findings.push_back(
          {*slowest,
           {row.key, fmt::format("rank {}", rank), rank < ranks.size() ? ranks[rank].node : "-",
            units::percent_change(*slowest),
            fmt::format("{:.0f} %", 100 * static_cast<double>(grid->slowest[rank]))}});
    }
  }
  return findings_table("Ranks slower than the others at their own work",
                        {{"case"}, {"rank"}, {"node"}, {"slower by", true}, {"slowest in", true}},
                        std::move(findings));
}

}  // namespace

std::string counts_band(const std::vector<Row>& rows, std::span<const RunExtract> runs) {
  std::map<Status, std::size_t> counts;
  for (const Row& row : rows) ++counts[status_of(row)];
  std::size_t failures = 0;
  std::string text = plural(counts[Status::ok], "case") + " measured";
  for (const auto& [status, word] :
       {std::pair{Status::failed, "failed"}, std::pair{Status::timeout, "timed out"},
        std::pair{Status::oom, "out of memory"}, std::pair{Status::skipped, "skipped"}}) {
    if (counts[status] > 0) text += fmt::format(", {} {}", counts[status], word);
    if (is_failure(status)) failures += counts[status];
  }
  const auto incomplete = std::ranges::count(runs, false, &RunExtract::complete);
  if (incomplete > 0)
    text += fmt::format("; {} of {} not complete", incomplete, plural(runs.size(), "run"));
  const char* css = failures > 0                                ? "bad"
                    : incomplete > 0 || counts[Status::ok] == 0 ? "warn"
                                                                : "good";
  const char* word = failures > 0              ? "FAILURES"
                     : counts[Status::ok] == 0 ? "NOTHING MEASURED"
                     : incomplete > 0          ? "INCOMPLETE"
                                               : "COMPLETE";
  return fmt::format("<div class=\"verdict {}\"><b>{}</b>{}</div>\n", css, word, text_of(text));
}

std::string runs_table(std::span<const RunExtract> runs) {
  std::vector<TableRow> lines;
  for (const RunExtract& run : runs) {
    std::map<std::string, std::size_t> nodes;
    for (const RankInfo& rank : run.ranks) ++nodes[rank.node];
    const auto version = run.facts.find("program.version");
    const bool known = !run.ranks.empty();  // other programs' results do not tell
    lines.push_back(
        {{std::to_string(lines.size() + 1), run.label, run.created.substr(0, 19),
          known ? plural(run.ranks.size(), "rank") : "-",
          known ? plural(nodes.size(), "node") : "-",
          run.complete ? fmt::format("{} of {}", run.cases.size(), run.planned)
                       : fmt::format("{} of {}, not complete", run.cases.size(), run.planned),
          version == run.facts.end() ? "-" : version->second},
         ""});
  }
  return table("Runs on this page",
               {{"run", true}, {"file"}, {"begun"}, {"ranks"}, {"nodes"}, {"cases"}, {"Scalemark"}},
               lines);
}

std::string notable_rows(const std::vector<Row>& rows, std::span<const RunExtract> runs) {
  return slow_ranks(rows, runs) + unsteady_runs(rows) + wide_rows(rows);
}

std::string not_measured(const std::vector<Row>& rows) {
  std::vector<TableRow> failed;
  std::map<std::string, std::vector<std::string>> skipped;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.cases.size(); ++i) {
      const CaseExtract& one = *row.cases[i];
      if (is_failure(one.status) && failed.size() < kMostReasons) {
        failed.push_back({{std::string(to_string(one.status)), row.key,
                           std::to_string(row.run_numbers[i] + 1), one.reason},
                          "bad"});
      }
    }
    if (status_of(row) == Status::skipped) skipped[row.cases.front()->reason].push_back(row.key);
  }
  std::string html;
  if (!failed.empty()) {
    html += table("Failed", {{"status"}, {"case"}, {"run", true}, {"reason"}}, failed);
  }
  for (const auto& [reason, keys] : skipped) {
    std::string list;
    for (std::size_t i = 0; i < std::min(keys.size(), kMostReasons); ++i)
      list += fmt::format("<li>{}</li>\n", text_of(keys[i]));
    if (keys.size() > kMostReasons)
      list += fmt::format("<li>and {} more</li>\n", keys.size() - kMostReasons);
    html += folded(fmt::format("Skipped: {} ({})", reason, plural(keys.size(), "case")),
                   fmt::format("<ul>{}</ul>\n", list));
  }
  return html;
}

}  // namespace scalemark::page
