// SPDX-License-Identifier: Apache-2.0
// Arranges the rows of a comparison in tables, one per benchmark.
#include "common/compare/print/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/base/units.hpp"
#include "common/compare/print/formats.hpp"
#include "common/stats/limits.hpp"
#include "common/stats/summary.hpp"
#include "common/text/display_unit.hpp"
#include "common/text/sparkline.hpp"

namespace scalemark::compare {
namespace {

/// ln(cost of B / cost of A): positive is worse.
double cost(const CompareRow& row) {
  const double change = std::log1p(row.change);
  return row.better == Better::higher ? -change : change;
}

std::string spark_of(const Fold& fold, double threshold, bool utf8) {
  std::vector<double> costs;
  double limit = std::log1p(threshold);
  for (const CompareRow* row : fold.rows) {
    costs.push_back(cost(*row));
    if (std::isfinite(costs.back())) limit = std::max(limit, std::abs(costs.back()));
  }
  return text::spark_line(costs, limit, utf8);
}

/// "1 regression, 12 same"
std::string counts_of(const Fold& fold) {
  constexpr std::array<std::pair<Verdict, const char*>, 4> kWords = {
      {{Verdict::regression, "regression"},
       {Verdict::improved, "improved"},
       {Verdict::inconclusive, "inconclusive"},
       {Verdict::same, "same"}}};
  std::vector<std::string> counts;
  for (const auto& [verdict, word] : kWords) {
    const auto is = [v = verdict](const CompareRow* row) { return row->verdict == v; };
    const auto count = std::count_if(fold.rows.begin(), fold.rows.end(), is);
    if (count > 0) counts.push_back(fmt::format("{} {}", count, word));
  }
  return text::join(counts, ", ");
}

std::string flags_of(const Fold& fold) {
  std::set<std::string> flags;
  for (const CompareRow* row : fold.rows) flags.insert(row->flags.begin(), row->flags.end());
  return text::join(std::vector<std::string>(flags.begin(), flags.end()), ", ");
}

text::DisplayUnit unit_of(const FoldGroup& group) {
  std::vector<double> values;
  for (const Fold& fold : group.folds) {
    for (const CompareRow* row : fold.rows) {
      if (std::isfinite(row->a)) values.push_back(row->a);
    }
  }
  return text::display_unit(group.unit, values.empty() ? 1 : stats::median(values));
}

std::vector<text::TextColumn> columns_for(const FoldGroup& group, const text::DisplayUnit& unit,
                                          bool sweeps) {
  const std::string symbol = unit.symbol.empty() ? "" : " " + unit.symbol;
  std::vector<text::TextColumn> columns = {{"verdict"}, {"case", false, true}};
  if (sweeps) {
    columns.push_back({"sweep", false, false, true});
    for (const char* header : {"points", "worst at"})
      columns.push_back({header, false, false, true});
  }
  columns.push_back({fmt::format("{} A{}", group.metric, symbol), true});
  columns.push_back({fmt::format("B{}", symbol), true});
  columns.push_back({"change %", true});
  for (const char* header : {"95 % interval", "runs", "runs needed"})
    columns.push_back({header, true, false, true});
  columns.push_back({"flags", false, false, true});
  return columns;
}

}  // namespace

std::string verdict_color(std::string_view verdict) {
  const bool bad = verdict == "REGRESSION" || verdict == "FAILED" || verdict == "MISSING" ||
                   verdict == "NOTHING";
  return bad ? "31" : verdict == "INCONCLUSIVE" ? "33" : "32";
}

CompareTable compare_table(const FoldGroup& group, double threshold, bool utf8, bool color) {
  const bool sweeps = group.has_sweep();
  const text::DisplayUnit unit = unit_of(group);
  CompareTable table{columns_for(group, unit, sweeps), {}};
  for (const Fold& fold : group.folds) {
    const CompareRow& row = *fold.worst;
    const std::vector<std::string> cells = row_cells(row);
    text::TextRow line;
    line.cells = {cells[0], fold.key};
    if (sweeps) {
      const bool swept = !fold.axis.empty();
      line.cells.push_back(swept ? spark_of(fold, threshold, utf8) : "");
      line.cells.push_back(swept ? counts_of(fold) : "");
      line.cells.push_back(swept ? fmt::format("{}={}", fold.axis, axis_value(row.key, fold.axis))
                                 : "");
    }
    line.cells.push_back(text::metric_cell(row.a, unit, std::nullopt));
    line.cells.push_back(text::metric_cell(row.b, unit, std::nullopt));
    line.cells.insert(line.cells.end(), cells.begin() + 5, cells.begin() + 9);
    line.cells.push_back(flags_of(fold));
    if (color) line.color = verdict_color(cells[0]);
    table.rows.push_back(std::move(line));
  }
  return table;
}

}  // namespace scalemark::compare
