// SPDX-License-Identifier: Apache-2.0
// What a number of runs would find, and what they would cost, before the job is submitted: from the
// noise of runs that there are.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/compare/compare.hpp"
#include "common/compare/planning/run_cost.hpp"

namespace scalemark::compare {

struct RunPlanOptions {
  CompareOptions compare;
  std::vector<int> runs = {3, 5, 10};               ///< on each side
  std::vector<double> effects = {0.02, 0.05, 0.1};  ///< changes for the worse, as fractions
  std::optional<double> budget;                     ///< seconds for all runs of one side
};

/// What runs find of a change by `effect`, if every tenth row changes by it.
struct PlanCell {
  double effect = 0;
  std::size_t rows = 0;  ///< in which it would be found with 80 % power
  double power = 0;      ///< the chance to find it, mean of all rows
};

/// A row that can be left out.
struct PlanDrop {
  std::string key;
  double seconds = 0;
};

/// So many runs.
struct PlanLine {
  int runs = 0;
  std::vector<PlanCell> both;          ///< so many runs on each side; one cell an effect
  std::vector<PlanCell> against_base;  ///< so many new runs against those that there are
  double seconds = 0;                  ///< of one side; NaN where unknown, as node_hours
  double node_hours = 0;
  /// Rows to leave out so that the runs keep the budget: such that tell least first. Empty where
  /// they keep it, or without a budget.
  std::vector<PlanDrop> drop;
  bool fits = true;  ///< without the rows of `drop`
};

struct PlanRow {
  std::string key, metric;
  double spread = 0;  ///< standard deviation of the logarithm over runs, moderated
  /// Runs on each side that find an effect with 80 % power, one an effect; 1000 is 1000 and more,
  /// nothing where the effect does not exceed the threshold.
  std::vector<std::optional<int>> runs_needed;
  double seconds = 0;  ///< a run; NaN where unknown
  /// Share of the spread that comes from within runs: near 1, more iterations would lower it. NaN
  /// where unknown.
  double within = 0;
};

struct RunPlan {
  RunPlanOptions options;
  std::size_t base_runs = 0, nodes = 0;
  double run_seconds = 0;  ///< of the middle run; NaN where unknown
  double typical_spread = 0;
  std::vector<PlanLine> lines;
  std::vector<PlanRow> rows;          ///< those that need most runs first
  std::vector<std::string> left_out;  ///< cases of whose noise nothing can be said
};

/// `costs` are of the same runs. Throws UsageError for fewer than two runs (a baseline stands for
/// those it was made of), and for one that was given twice.
RunPlan plan_runs(std::span<const RunDigest> runs, std::span<const RunCost> costs,
                  const RunPlanOptions& options = {});

}  // namespace scalemark::compare
