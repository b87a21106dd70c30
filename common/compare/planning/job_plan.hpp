// SPDX-License-Identifier: Apache-2.0
// Plans a job from what earlier runs of its cases measured: time, node-hours, memory, figures, and
// how many runs would show a change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/compare/compare.hpp"
#include "common/compare/planning/run_cost.hpp"

namespace scalemark::compare {

/// What a job is started with.
struct JobShape {
  int ranks = 1, ranks_per_node = 1;
  /// Nodes of so many ranks, which fill one after the other.
  int nodes_for(int some) const { return (some + ranks_per_node - 1) / ranks_per_node; }
};

/// A case that the job is to measure.
struct JobCase {
  std::string key;
  std::uint64_t memory = 0;  ///< predicted bytes per rank; 0 = unknown
  /// s of sampling at most; empty where a number of iterations or the work is given.
  std::optional<double> longest;
  /// s, from rows of other cases; and what it is from ("ring").
  std::optional<double> predicted;
  bool is_bound = false;                                   ///< at least the predicted time
  std::optional<std::pair<double, double>> interval = {};  ///< of it, 90 %
  std::string source;
  std::optional<double> duration = {};  ///< s of the whole case, by its predicted steps
  double beyond = 1;                    ///< ranks of the prediction / most ranks that it is from
  std::string reach;                    ///< what that means, as a sentence; empty where it is near
};

struct JobOptions {
  int nodes = 1;
  std::vector<int> runs = {3, 5, 10};  ///< runs of the job
  double effect = 0.05;                ///< relative change that should be found
  CompareOptions compare;
};

/// What is known of a case before it is measured.
struct JobRow {
  JobCase planned;
  bool measured = false;  ///< some run has a value of it
  std::string metric, unit;
  double value = std::numeric_limits<double>::quiet_NaN();  ///< median over runs
  /// Standard deviation of the logarithm over runs, moderated; NaN with less than two runs.
  double spread = std::numeric_limits<double>::quiet_NaN();
  double seconds = std::numeric_limits<double>::quiet_NaN();  ///< duration, median over runs
  /// Runs per side that show the change with 80 % power; empty if the spread is unknown.
  std::optional<int> runs_needed;
  std::string reason;  ///< why no run has a value, where runs tried
};

/// Cost and use of so many runs.
struct JobLine {
  int runs = 0;
  double seconds = 0, node_hours = 0;
  std::size_t rows_found = 0;  ///< rows in which so many runs per side show the change
};

struct JobPlan {
  JobOptions options;
  std::size_t runs = 0;      ///< earlier runs
  std::vector<JobRow> rows;  ///< in the order of the plan
  /// Rows by what is known of their duration.
  std::size_t measured = 0, predicted = 0, bounded = 0, unknown = 0;
  double measured_seconds = 0, predicted_seconds = 0;  ///< of one run
  double bounded_seconds = 0;                          ///< of one run, at most
  std::vector<JobLine> lines;

  /// At most, but for rows of unknown duration.
  double run_seconds() const { return measured_seconds + predicted_seconds + bounded_seconds; }
  /// The row that needs the most memory per rank; null if no memory is known.
  const JobRow* largest() const;
};

/// Plans a job of these cases. `costs`: of the same runs, in their order; there may be no run. Rows
/// of other cases are left out, so that they do not make the tests of the job's own stricter.
JobPlan plan_job(std::span<const JobCase> cases, std::vector<RunDigest> runs,
                 std::span<const RunCost> costs, const JobOptions& options = {});

}  // namespace scalemark::compare
