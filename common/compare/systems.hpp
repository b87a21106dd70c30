// SPDX-License-Identifier: Apache-2.0
// Compares several systems: one table of cases by systems. Ranks only count significant
// differences.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "common/compare/compare.hpp"

namespace scalemark::compare {

/// Adds the fraction of the machine's peak that a case reached, by key: metric `peak_fraction`,
/// else the fact of that name. Adds nothing if neither exists.
void add_peak_fraction(const CaseResult& result, std::map<std::string, double>& fractions);

/// A system and its runs.
struct SystemRuns {
  std::string name;
  std::vector<RunDigest> runs;
  std::vector<std::map<std::string, double>> peaks;  ///< per run: fraction of the peak by key
};

/// One case on one system. NaN if unknown.
struct SystemCell {
  double value = 0;          ///< geometric mean of the runs' medians
  int runs = 0;              ///< number of runs with a value; 0 = none
  double peak_fraction = 0;  ///< of the system's own peak; median over runs
  double ratio = 0;          ///< value / that of the first system
  double low = 0, high = 0;  ///< 95 % interval of the ratio
  /// 1 + the number of significantly better systems (the 95 % interval of the ratio excludes 1). 0
  /// if a pair cannot be tested.
  int rank = 0;
  bool tied = false;  ///< another system has the same rank
};

/// One case on all systems.
struct SystemRow {
  std::string key, metric, unit;
  Better better = Better::none;
  std::vector<SystemCell> cells;  ///< in the order of the systems
};

/// A case that fewer than two systems measured.
struct UnmatchedCase {
  std::string key;
  std::vector<std::string> systems;
  std::string reason;  ///< status and reason on each system that failed or skipped it
};

/// The table of a comparison of systems.
struct SystemTable {
  std::vector<std::string> names;
  std::vector<std::size_t> runs;  ///< number of runs per system
  std::vector<SystemRow> rows;    ///< in the order of the files
  std::vector<UnmatchedCase> unmatched;
  std::vector<std::string> notes;
  bool has_peaks = false;
};

/// Compares systems. Cases are matched by `options.maps`, the same for all systems. Throws
/// UsageError for fewer than two systems, a system without runs, a run given twice, or a map
/// between two values (which needs sides A and B).
SystemTable system_table(std::span<const SystemRuns> systems, const CompareOptions& options = {});

}  // namespace scalemark::compare
