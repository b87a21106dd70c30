// SPDX-License-Identifier: Apache-2.0
// Runs A against runs B. The run (one mpirun) is the unit of replication: iterations and ranks
// describe a run, they never test. docs/measuring/statistics.md derives the statistics.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/compare/design.hpp"
#include "common/compare/digest.hpp"
#include "common/compare/environment.hpp"
#include "common/compare/findings/findings.hpp"
#include "common/compare/match_axes.hpp"
#include "common/compare/sides.hpp"
#include "common/stats/moderated.hpp"

namespace scalemark::compare {

enum class Verdict { regression, improved, inconclusive, same };
std::string_view to_string(Verdict verdict);  ///< REGRESSION, IMPROVED, INCONCLUSIVE, SAME

struct CompareOptions {
  double threshold = 0.01;  ///< changes up to this fraction do not matter
  double alpha = 0.05;      ///< false discovery rate, and level of SAME
  /// Without repeated runs nothing can be tested; a row that is worse by more than this fraction is
  /// then flagged `over_single_run_threshold`.
  std::optional<double> single_run_threshold;
  bool fwer = false;             ///< Holm's family-wise error rate instead of false discoveries
  bool relative_to_run = false;  ///< rows without what moved their whole run
  Pairing pairing = Pairing::automatic;
  /// Of the rows' variances, by metric and "" for the others; what these lack is fitted.
  std::map<std::string, stats::Prior> priors;
  std::vector<AxisMap> maps;   ///< how keys of the sides are made equal
  bool plan_open_rows = true;  ///< whether inconclusive rows get CompareRow::runs_needed
};

/// One case that ran on both sides. `change` and its 95 % interval are of the metric itself: B / A
/// - 1, whichever direction is better; the verdict knows the direction. NaN where there is no
/// number.
struct CompareRow {
  std::string key, metric, unit;
  Better better = Better::none;
  double a = 0, b = 0;  ///< geometric mean of the runs' medians
  double change = 0, low = 0, high = 0;
  double p = 0, q = 0;    ///< of "the change is within the threshold"; q adjusted over all rows
  double detectable = 0;  ///< change that these runs find in 8 of 10 cases
  Verdict verdict = Verdict::inconclusive;
  /// Of an inconclusive row whose noise is known: runs on each side, with those made, that would
  /// decide it in 8 of 10 cases.
  std::optional<int> runs_needed;
  bool beyond_threshold = false;  ///< the 95 % interval lies beyond the threshold
  int runs_a = 0, runs_b = 0;     ///< runs with a usable value
  std::vector<std::string> flags;
  std::vector<SecondaryMetric> secondary;
};

/// Whether the row fails a gate on regressions: by its verdict, or where nothing could be tested by
/// CompareOptions::single_run_threshold.
bool counts_as_regression(const CompareRow& row);

/// A case that failed on a side, or whose results in B cannot be held against those in A. New
/// failures count against B.
struct FailedRow {
  std::string key;
  /// Status words, "absent" where it was not run; "unusable" (no value above 0) or "other metric".
  std::string a, b;
  std::string reason;
  bool counts = true;
};

struct Comparison {
  std::vector<CompareRow> rows;  ///< worst first
  std::vector<std::string> only_a, only_b;
  std::vector<FailedRow> failed;
  std::vector<EnvironmentDifference> environment;
  std::vector<EnvironmentDifference>
      environment_one_side;        ///< known on one side only: gate nothing
  std::vector<std::string> notes;  ///< incomplete runs, in sentences
  WholeRunShift shift;
  std::vector<GeometricMean> geomeans;
  std::vector<Finding> findings;
  std::vector<LikelyCause> causes;
  std::size_t runs_a = 0, runs_b = 0;
  SideFacts side_a, side_b;
  CompareOptions options;
  std::string method;        ///< in words
  double median_change = 0;  ///< of the cost over all rows: what moved everything; NaN without rows
  double detectable = 0;     ///< of the middle row; NaN without tests

  std::size_t count(Verdict verdict) const;
  /// Rows that have a usable value of one metric on both sides: what was really compared.
  std::size_t count_comparable() const;
  /// Failures that count against B.
  std::size_t count_failed() const;
  /// REGRESSION, FAILED, MISSING, NOTHING (no comparable row), IMPROVED, SAME (all rows) or
  /// INCONCLUSIVE: the first that applies.
  std::string_view verdict() const;
};

/// Pure. Throws UsageError when a side is empty or a run was given twice.
Comparison compare(std::span<const RunDigest> a, std::span<const RunDigest> b,
                   const CompareOptions& options = {});

}  // namespace scalemark::compare
