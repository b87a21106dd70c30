// SPDX-License-Identifier: Apache-2.0
// Plans further runs: which changes a number of runs would detect, and what they cost.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/compare/compare.hpp"
#include "common/compare/planning/run_cost.hpp"

namespace scalemark::compare {

/// What to plan for.
struct RunPlanOptions {
  CompareOptions compare;
  std::vector<int> runs = {3, 5, 10};               ///< runs per side
  std::vector<double> effects = {0.02, 0.05, 0.1};  ///< relative changes for the worse
  std::optional<double> budget;                     ///< limit in seconds for all runs of one side
};

/// Detection of a change by `effect`, if one row in ten changes by it.
struct PlanCell {
  double effect = 0;
  std::size_t rows = 0;  ///< number of rows in which it would be detected with 80 % power
  double power = 0;      ///< probability to detect it, mean over rows
};

/// A row that can be left out to save time.
struct PlanDrop {
  std::string key;
  double seconds = 0;
};

/// Result for one number of runs.
struct PlanLine {
  int runs = 0;
  std::vector<PlanCell> both;          ///< this number of runs per side; one cell per effect
  std::vector<PlanCell> against_base;  ///< this number of new runs against the existing ones
  double seconds = 0;                  ///< duration for one side; NaN if unknown, as is node_hours
  double node_hours = 0;
  /// Rows to leave out so that the runs fit into the budget, longest first. Empty if they fit, or
  /// without a budget.
  std::vector<PlanDrop> drop;
  bool fits = true;  ///< fits into the budget without the rows in `drop`
};

/// Result for one row.
struct PlanRow {
  std::string key, metric;
  double spread = 0;  ///< standard deviation of the logarithm over runs, moderated
  /// Per effect, runs per side that detect it with 80 % power. 1000 means 1000 or more; empty if
  /// the effect does not exceed the threshold.
  std::vector<std::optional<int>> runs_needed;
  double seconds = 0;  ///< duration per run; NaN if unknown
  /// Fraction of the variance between runs that comes from within runs. Near 1, more iterations
  /// would reduce it. NaN if unknown.
  double within = 0;
};

/// A plan of further runs.
struct RunPlan {
  RunPlanOptions options;
  std::size_t base_runs = 0, nodes = 0;
  double run_seconds = 0;  ///< median over runs; NaN if unknown
  double typical_spread = 0;
  std::vector<PlanLine> lines;
  std::vector<PlanRow> rows;          ///< those that need most runs first
  std::vector<std::string> left_out;  ///< cases whose noise is unknown
};

/// Plans further runs. `costs`: of the same runs. Throws UsageError for fewer than two runs (a
/// baseline counts as its runs), or a run given twice.
RunPlan plan_runs(std::span<const RunDigest> runs, std::span<const RunCost> costs,
                  const RunPlanOptions& options = {});

}  // namespace scalemark::compare
