// SPDX-License-Identifier: Apache-2.0
// Combines several runs of the same cases into one table: medians, spreads, and differences between
// the runs.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/compare/digest.hpp"
#include "common/result/model.hpp"

namespace scalemark::print {

/// One metric of a case over the runs that measured it. Numbers that need more runs are NaN.
struct RunsMetric {
  std::string name, unit;  ///< unit: a base unit such as s or By/s
  Better better = Better::none;
  std::vector<double> values;  ///< the median within each run, in the order of the runs
  double median = 0;           ///< median of `values`
  double min = 0, max = 0;
  /// Standard deviation between runs, of logarithms as in `compare`. Needs two runs with positive
  /// values.
  double spread = 0;
  /// 95 % confidence interval of the mean over runs (geometric mean, Student's t).
  double low = 0, high = 0;
};

/// A run without a number for the case, and why.
struct RunWithout {
  std::string run;               ///< label of the run
  std::optional<Status> status;  ///< empty = the run does not have the case
  std::string reason;
};

/// One case over all runs.
struct RunsRow {
  std::string key;
  Point params;
  std::vector<RunsMetric> metrics;  ///< primary metric first; empty = no run measured the case
  std::vector<RunWithout> without;

  /// Number of runs that measured the primary metric.
  std::size_t runs() const { return metrics.empty() ? 0 : metrics.front().values.size(); }
  /// ok if any run measured the case, else the status in the first run that has the case.
  Status status() const;
};

/// A fact in which the runs differ: machine, job size or build.
struct RunsDifference {
  std::string fact;
  /// Each value with the labels of its runs.
  std::vector<std::pair<std::string, std::vector<std::string>>> values;
};

/// The combined table of several runs.
struct RunsTable {
  std::vector<std::string> labels;  ///< per run: file name, or whole path if file names repeat
  std::string version;        ///< version of Scalemark; empty if unknown or if the runs differ
  std::string ranks, nodes;   ///< numbers; empty if unknown or if the runs differ
  std::string first, last;    ///< earliest and latest start time
  std::vector<RunsRow> rows;  ///< in the order of the plans
  std::vector<RunsDifference> differences;
  std::vector<std::string> notes;  ///< names the runs that are not complete
};

/// Combines runs, limited to cases whose key is `wanted`. `params`: parameters by case key. Throws
/// UsageError for a run given twice, and for a baseline.
RunsTable runs_table(std::span<const compare::RunDigest> runs,
                     const std::map<std::string, Point>& params,
                     const std::function<bool(const std::string& key)>& wanted);

}  // namespace scalemark::print
