// SPDX-License-Identifier: Apache-2.0
// Several systems side by side: one table of rows by systems, with ranks that only count what can
// be told apart.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "common/compare/compare.hpp"

namespace scalemark::compare {

/// Adds, by its key, what fraction of its machine's peak a case reached, where it knows: its metric
/// `peak_fraction`, else the fact.
void add_peak_fraction(const CaseResult& result, std::map<std::string, double>& fractions);

struct SystemRuns {
  std::string name;
  std::vector<RunDigest> runs;
  std::vector<std::map<std::string, double>> peaks;  ///< of each run
};

/// One case on one system. NaN where there is no number.
struct SystemCell {
  double value = 0;          ///< geometric mean of the runs' medians
  int runs = 0;              ///< with a value; 0 = none
  double peak_fraction = 0;  ///< of the system's own peak; median of the runs
  double ratio = 0;          ///< value / that of the first system
  double low = 0, high = 0;  ///< 95 % interval of the ratio
  /// 1 + the number of systems that are better beyond doubt (95 % interval of the ratio of the
  /// two); 0 where some of them cannot be tested.
  int rank = 0;
  bool tied = false;  ///< another system has the same rank
};

struct SystemRow {
  std::string key, metric, unit;
  Better better = Better::none;
  std::vector<SystemCell> cells;  ///< in the order of the systems
};

/// A case that fewer than two systems have, and the systems that have it.
struct UnmatchedCase {
  std::string key;
  std::vector<std::string> systems;
  std::string reason;  ///< of each system that tried and failed, or skipped it
};

struct SystemTable {
  std::vector<std::string> names;
  std::vector<std::size_t> runs;  ///< of each system
  std::vector<SystemRow> rows;    ///< in the order of the files
  std::vector<UnmatchedCase> unmatched;
  std::vector<std::string> notes;
  bool has_peaks = false;
};

/// Cases are matched by `options.maps`, the same for all systems. Throws UsageError for fewer than
/// two systems, a system without runs, a run that was given twice, and a map of one value to
/// another, which takes two sides.
SystemTable system_table(std::span<const SystemRuns> systems, const CompareOptions& options = {});

}  // namespace scalemark::compare
