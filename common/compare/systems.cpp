// SPDX-License-Identifier: Apache-2.0
// Compares each pair of systems and combines the results in one table.
#include "common/compare/systems.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/result/summarise.hpp"
#include "common/stats/limits.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::compare {
namespace {

/// Rows of each pair of systems by key: [first][second], first < second.
using Pairs = std::vector<std::vector<std::map<std::string, CompareRow>>>;

/// Copies of the systems with mapped keys.
std::vector<SystemRuns> mapped(std::span<const SystemRuns> systems,
                               const std::vector<AxisMap>& maps) {
  for (const AxisMap& map : maps) {
    if (map.kind != AxisMap::Kind::rename) continue;
    throw UsageError(
        fmt::format("--map is \"{}={}->{}\"; with --systems, where no side is A or B, allowed: "
                    "AXIS=*, AXIS=drop",
                    map.axis, text::printable(map.from, 60), text::printable(map.to, 60)));
  }
  std::vector<SystemRuns> made(systems.begin(), systems.end());
  for (SystemRuns& system : made) {
    map_side(system.runs, maps, false);
    for (std::map<std::string, double>& peaks : system.peaks) {
      std::map<std::string, double> renamed;
      for (const auto& [key, peak] : peaks) renamed.emplace(mapped_key(key, maps, false), peak);
      peaks = std::move(renamed);
    }
  }
  return made;
}

std::map<std::string, CompareRow> by_key(const Comparison& comparison) {
  std::map<std::string, CompareRow> rows;
  for (const CompareRow& row : comparison.rows) rows.emplace(row.key, row);
  return rows;
}

Pairs compare_pairs(std::span<const SystemRuns> systems, const CompareOptions& options) {
  Pairs pairs(systems.size(), std::vector<std::map<std::string, CompareRow>>(systems.size()));
  for (std::size_t i = 0; i < systems.size(); ++i) {
    for (std::size_t j = i + 1; j < systems.size(); ++j)
      pairs[i][j] = by_key(compare(systems[i].runs, systems[j].runs, options));
  }
  return pairs;
}

/// The row of a pair of systems; null if they do not share the case.
const CompareRow* row_of(const Pairs& pairs, std::size_t i, std::size_t j, const std::string& key) {
  const auto found = pairs[i][j].find(key);
  return found == pairs[i][j].end() ? nullptr : &found->second;
}

/// The first usable row of a system; null if there is none.
const RowDigest* model_of(const SystemRuns& system, const std::string& key) {
  for (const RunDigest& run : system.runs) {
    const auto found = run.rows.find(key);
    if (found != run.rows.end() && found->second.status == Status::ok &&
        std::isfinite(found->second.value)) {
      return &found->second;
    }
  }
  return nullptr;
}

SystemCell cell_of(const SystemRuns& system, const std::string& key, const SystemRow& row) {
  SystemCell cell;
  cell.value = cell.peak_fraction = cell.ratio = cell.low = cell.high = stats::kNan;
  std::vector<double> logs, peaks;
  for (std::size_t r = 0; r < system.runs.size(); ++r) {
    const auto found = system.runs[r].rows.find(key);
    if (found == system.runs[r].rows.end()) continue;
    const RowDigest& one = found->second;
    const bool alike = one.metric == row.metric && one.unit == row.unit && one.better == row.better;
    if (one.status != Status::ok || !alike || !(one.value > 0) || !std::isfinite(one.value))
      continue;
    logs.push_back(std::log(one.value));
    if (r >= system.peaks.size()) continue;
    const auto peak = system.peaks[r].find(key);
    if (peak != system.peaks[r].end()) peaks.push_back(peak->second);
  }
  cell.runs = static_cast<int>(logs.size());
  if (!logs.empty()) cell.value = std::exp(stats::mean(logs));
  cell.peak_fraction = stats::median(peaks);
  return cell;
}

/// -1 if system i is significantly better, 1 if j is, 0 if neither. Nothing without a test.
std::optional<int> order_of(const Pairs& pairs, std::size_t i, std::size_t j,
                            const std::string& key) {
  const CompareRow* row = row_of(pairs, std::min(i, j), std::max(i, j), key);
  if (row == nullptr || !std::isfinite(row->low) || row->better == Better::none)
    return std::nullopt;
  if (row->low <= 0 && row->high >= 0) return 0;
  const bool second_lower = row->high < 0;
  const bool second_better = second_lower == (row->better == Better::lower);
  return second_better == (j > i) ? 1 : -1;
}

void rank_cells(const Pairs& pairs, SystemRow& row) {
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    if (row.cells[i].runs == 0) continue;
    int better = 0;
    bool tested = true;
    for (std::size_t j = 0; j < row.cells.size(); ++j) {
      if (i == j || row.cells[j].runs == 0) continue;
      const std::optional<int> order = order_of(pairs, i, j, row.key);
      tested = tested && order.has_value();
      if (order == 1) ++better;
    }
    row.cells[i].rank = tested ? better + 1 : 0;
  }
  for (SystemCell& cell : row.cells) {
    const auto same = [&](const SystemCell& other) { return other.rank == cell.rank; };
    cell.tied = cell.rank > 0 && std::count_if(row.cells.begin(), row.cells.end(), same) > 1;
  }
}

/// Fills in the ratios to the first system.
void relate_cells(const Pairs& pairs, SystemRow& row) {
  if (row.cells[0].runs == 0) return;
  row.cells[0].ratio = 1;
  for (std::size_t j = 1; j < row.cells.size(); ++j) {
    const CompareRow* pair = row_of(pairs, 0, j, row.key);
    if (pair == nullptr || row.cells[j].runs == 0) continue;
    row.cells[j].ratio = 1 + pair->change;
    row.cells[j].low = 1 + pair->low;
    row.cells[j].high = 1 + pair->high;
  }
}

/// Status and reason of a case without a value on a system; empty if it was not run.
std::string failure_on(const SystemRuns& system, const std::string& key) {
  for (const RunDigest& run : system.runs) {
    const auto found = run.rows.find(key);
    if (found == run.rows.end() || found->second.status == Status::ok) continue;
    return fmt::format("{}: {}{}{}", system.name, to_string(found->second.status),
                       found->second.reason.empty() ? "" : ", ", found->second.reason);
  }
  return {};
}

std::string failures_of(std::span<const SystemRuns> systems, const std::string& key) {
  std::vector<std::string> failures;
  for (const SystemRuns& system : systems) {
    if (std::string failure = failure_on(system, key); !failure.empty())
      failures.push_back(std::move(failure));
  }
  return text::join(failures, "; ");
}

void add_key(const std::string& key, std::span<const SystemRuns> systems, const Pairs& pairs,
             SystemTable& table) {
  const RowDigest* model = nullptr;
  std::vector<std::string> having;
  for (const SystemRuns& system : systems) {
    const RowDigest* own = model_of(system, key);
    if (own == nullptr) continue;
    having.push_back(system.name);
    if (model == nullptr) model = own;
  }
  if (having.size() < 2) {
    table.unmatched.push_back({key, having, failures_of(systems, key)});
    return;
  }
  SystemRow row{key, model->metric, model->unit, model->better, {}};
  for (const SystemRuns& system : systems) row.cells.push_back(cell_of(system, key, row));
  relate_cells(pairs, row);
  rank_cells(pairs, row);
  for (const SystemCell& cell : row.cells)
    table.has_peaks = table.has_peaks || std::isfinite(cell.peak_fraction);
  table.rows.push_back(std::move(row));
}

}  // namespace

void add_peak_fraction(const CaseResult& result, std::map<std::string, double>& fractions) {
  if (const auto fraction = peak_fraction_of(result))
    fractions.emplace(text::printable(result.key), *fraction);
}

SystemTable system_table(std::span<const SystemRuns> systems, const CompareOptions& options) {
  if (systems.size() < 2) {
    throw UsageError(fmt::format("--systems needs at least 2 systems, each as NAME=PATH; {} given",
                                 systems.size()));
  }
  if (!options.maps.empty()) {
    CompareOptions plain = options;
    plain.maps.clear();
    return system_table(mapped(systems, options.maps), plain);
  }
  SystemTable table;
  for (const SystemRuns& system : systems) {
    table.names.push_back(system.name);
    table.runs.push_back(system.runs.size());
    if (system.runs.size() == 1)
      table.notes.push_back(
          fmt::format("{} has one run, so its noise is unknown: 3 runs show the noise, 5 find "
                      "small differences",
                      system.name));
    for (const RunDigest& run : system.runs) {
      if (run.complete) continue;
      table.notes.push_back(fmt::format("{}: {} is not complete, {} of {}", system.name, run.label,
                                        run.finished, text::counted(run.planned, "planned case")));
    }
  }
  const Pairs pairs = compare_pairs(systems, options);
  std::set<std::string> seen;
  for (const SystemRuns& system : systems) {
    for (const RunDigest& run : system.runs) {
      for (const std::string& key : run.keys) {
        if (seen.insert(key).second) add_key(key, systems, pairs, table);
      }
    }
  }
  return table;
}

}  // namespace scalemark::compare
