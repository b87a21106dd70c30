// SPDX-License-Identifier: Apache-2.0
// Sections at the top of a page: counts, runs, unusual rows, cases not measured.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/base/units.hpp"
#include "common/html/html.hpp"
#include "common/html/sections/sections.hpp"
#include "common/html/verdict.hpp"
#include "common/html/words.hpp"

namespace scalemark::html {
namespace {

constexpr std::size_t kNotable = 5;
constexpr std::size_t kMaxReasons = 100;

/// Status of a row: ok if any run has ok, else that of the first run.
Status status_of(const Row& row) { return row.ok() ? Status::ok : row.cases.front()->status; }

bool is_failure(Status status) { return status != Status::ok && status != Status::skipped; }

/// An unusual row, with the size by which findings are sorted.
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
  return table(title, columns, rows, "notable");
}

/// Rows with the largest differences between runs.
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
         {units::percent_change(1 + spread), units::quantity(value.low, primary.unit),
          units::quantity(value.high, primary.unit), key_text(row.key), primary.name}});
  }
  return findings_table(
      "Runs that differ most from each other (least and largest median)",
      {{"spread", true}, {"least", true}, {"largest", true}, {"case"}, {"metric"}},
      std::move(findings));
}

/// Rows with the widest confidence intervals within a run.
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
                          {units::quantity(summary.median, primary.unit),
                           fmt::format("[{}, {}]", units::quantity(summary.low, primary.unit),
                                       units::quantity(summary.high, primary.unit)),
                           std::to_string(summary.n), key_text(row.key), primary.name}});
      break;
    }
  }
  return findings_table(
      "Rows with the widest confidence intervals (of the median, within one run)",
      {{"median", true}, {"95 % interval", true}, {"iterations", true}, {"case"}, {"metric"}},
      std::move(findings));
}

/// Ranks that are slower than others at their own work.
std::string slow_ranks(const std::vector<Row>& rows, std::span<const RunExtract> runs) {
  std::vector<Finding> findings;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.cases.size(); ++i) {
      const std::optional<RankGrid>& grid = row.cases[i]->grid;
      if (!grid || grid->collective) continue;
      const auto slowest = std::ranges::max_element(grid->effects);
      if (*slowest < 1.02F) continue;
      const auto rank = static_cast<std::size_t>(slowest - grid->effects.begin());
      const std::vector<RankInfo>& ranks = placement_of(*row.cases[i], runs[row.run_numbers[i]]);
      findings.push_back({*slowest,
                          {units::percent_change(*slowest), fmt::format("rank {}", rank),
                           rank < ranks.size() ? ranks[rank].node : "-",
                           fmt::format("{:.0f} %", 100 * static_cast<double>(grid->slowest[rank])),
                           key_text(row.key)}});
    }
  }
  return findings_table("Ranks slower than the others at their own work",
                        {{"slower by", true}, {"where"}, {"node"}, {"slowest in", true}, {"case"}},
                        std::move(findings));
}

}  // namespace

std::string counts_band(const std::vector<Row>& rows, std::span<const RunExtract> runs) {
  std::map<Status, std::size_t> counts;
  for (const Row& row : rows) ++counts[status_of(row)];
  std::size_t failures = 0;
  std::string text = text::counted(counts[Status::ok], "case") + " measured";
  for (const auto& [status, word] :
       {std::pair{Status::failed, "failed"}, std::pair{Status::timeout, "timed out"},
        std::pair{Status::oom, "out of memory"}, std::pair{Status::skipped, "skipped"}}) {
    if (counts[status] > 0) text += fmt::format(", {} {}", counts[status], word);
    if (is_failure(status)) failures += counts[status];
  }
  const auto incomplete = std::ranges::count(runs, false, &RunExtract::complete);
  if (incomplete > 0)
    text += fmt::format("; {} of {} not complete", incomplete, text::counted(runs.size(), "run"));
  if (failures > 0) return band("bad", "FAILURES", text);
  if (counts[Status::ok] == 0) return band("warn", "NOTHING MEASURED", text);
  if (incomplete > 0) return band("warn", "INCOMPLETE", text);
  // Without problems one line is enough.
  return note(text + ".");
}

std::string runs_table(std::span<const RunExtract> runs) {
  std::vector<TableRow> lines;
  for (const RunExtract& run : runs) {
    std::map<std::string, std::size_t> nodes;
    for (const RankInfo& rank : run.ranks) ++nodes[rank.node];
    const auto version = run.facts.find("program.version");
    const bool known = !run.ranks.empty();  // unknown in results of other programs
    lines.push_back(
        {{std::to_string(lines.size() + 1), run.label, run.created.substr(0, 19),
          known ? text::counted(run.ranks.size(), "rank") : "-",
          known ? text::counted(nodes.size(), "node") : "-",
          run.complete ? fmt::format("{} of {}", run.cases.size(), run.planned)
                       : fmt::format("{} of {}, not complete", run.cases.size(), run.planned),
          version == run.facts.end() ? "-" : version->second},
         ""});
  }
  return table("In the order of the files",
               {{"run", true}, {"file"}, {"start"}, {"ranks"}, {"nodes"}, {"cases"}, {"Scalemark"}},
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
      if (is_failure(one.status) && failed.size() < kMaxReasons) {
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
    for (std::size_t i = 0; i < std::min(keys.size(), kMaxReasons); ++i)
      list += fmt::format("<li>{}</li>\n", text_of(keys[i]));
    if (keys.size() > kMaxReasons)
      list += fmt::format("<li>and {} more</li>\n", keys.size() - kMaxReasons);
    html += folded(fmt::format("Skipped: {} ({})", reason, text::counted(keys.size(), "case")),
                   fmt::format("<ul>{}</ul>\n", list));
  }
  return html;
}

}  // namespace scalemark::html
