// SPDX-License-Identifier: Apache-2.0
// Compares runs A with runs B. A run (one mpirun) is the unit of replication. Iterations and ranks
// only describe a run; they never enter a test. docs/measuring/statistics.md derives the
// statistics.
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

/// Outcome of the test of one row.
enum class Verdict { regression, improved, inconclusive, same };
std::string_view to_string(Verdict verdict);  ///< REGRESSION, IMPROVED, INCONCLUSIVE, SAME

/// Statistical settings of a comparison.
struct CompareOptions {
  double threshold = 0.01;  ///< smaller relative changes do not matter
  double alpha = 0.05;      ///< false discovery rate, and level of the test for SAME
  /// Rows without repeated runs cannot be tested. Such a row is flagged `over_single_run_threshold`
  /// if it is worse by more than this fraction.
  std::optional<double> single_run_threshold;
  /// Control the family-wise error rate (Holm) instead of the false discovery rate.
  bool fwer = false;
  bool relative_to_run = false;  ///< remove from each row the shift that its whole run shows
  Pairing pairing = Pairing::automatic;
  /// Given priors of the rows' variances, by metric, or "" for all others. Missing priors are
  /// fitted.
  std::map<std::string, stats::Prior> priors;
  std::vector<AxisMap> maps;   ///< axes that are mapped before cases are matched
  bool plan_open_rows = true;  ///< compute CompareRow::runs_needed for inconclusive rows
};

/// One case that ran on both sides. `change` and its 95 % interval describe the metric itself: B /
/// A - 1, whichever direction is better. NaN if unknown.
struct CompareRow {
  std::string key, metric, unit;
  Better better = Better::none;
  double a = 0, b = 0;  ///< geometric mean of the runs' medians
  double change = 0, low = 0, high = 0;
  double p = 0, q = 0;  ///< p of "the change is within the threshold"; q: p adjusted over all rows
  double detectable = 0;  ///< smallest change that these runs detect with 80 % probability
  Verdict verdict = Verdict::inconclusive;
  /// For an inconclusive row with known noise: the total runs per side that would decide it with
  /// 80 % probability.
  std::optional<int> runs_needed;
  bool beyond_threshold = false;  ///< the whole 95 % interval lies beyond the threshold
  int runs_a = 0, runs_b = 0;     ///< number of runs with a usable value
  std::vector<std::string> flags;
  std::vector<SecondaryMetric> secondary;
};

/// Whether the row is a regression for the exit code. True for verdict REGRESSION, or for an
/// untested row that is worse by more than CompareOptions::single_run_threshold.
bool counts_as_regression(const CompareRow& row);

/// A case that failed on a side, or whose value in B cannot be compared with A.
struct FailedRow {
  std::string key;
  /// Status of each side; or "absent" (not run), "unusable" (no positive value), "other metric".
  std::string a, b;
  std::string reason;
  /// Whether the row counts against B: a failure, timeout or unusable value in B, or memory that
  /// runs out in B only.
  bool counts = true;
};

/// Result of a comparison.
struct Comparison {
  std::vector<CompareRow> rows;  ///< worst first
  std::vector<std::string> only_a, only_b;
  std::vector<FailedRow> failed;
  std::vector<EnvironmentDifference> environment;
  /// Facts known on one side only; they do not affect the exit code.
  std::vector<EnvironmentDifference> environment_one_side;
  std::vector<std::string> notes;  ///< sentences, such as about incomplete runs
  WholeRunShift shift;
  std::vector<GeometricMean> geomeans;
  std::vector<Finding> findings;
  std::vector<LikelyCause> causes;
  std::size_t runs_a = 0, runs_b = 0;
  SideFacts side_a, side_b;
  CompareOptions options;
  std::string method;        ///< the statistical method, in words
  double median_change = 0;  ///< median over rows of the cost change; NaN without rows
  double detectable = 0;     ///< median over rows of CompareRow::detectable; NaN without tests

  std::size_t count(Verdict verdict) const;
  /// Number of rows with a usable value of the same metric on both sides.
  std::size_t count_comparable() const;
  /// Number of failures that count against B.
  std::size_t count_failed() const;
  /// The first that applies: REGRESSION, FAILED, MISSING, NOTHING (no comparable row), IMPROVED,
  /// SAME (all rows), INCONCLUSIVE.
  std::string_view verdict() const;
};

/// Compares two sides. Throws UsageError if a side is empty, a run is given twice, or a baseline is
/// not the only run of A.
Comparison compare(std::span<const RunDigest> a, std::span<const RunDigest> b,
                   const CompareOptions& options = {});

}  // namespace scalemark::compare
