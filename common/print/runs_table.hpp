// SPDX-License-Identifier: Apache-2.0
// Several runs of the same cases as one table: what they measured, and how far they are apart.
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

/// One metric of a case, by the runs that measured it. Numbers that the runs do not support are
/// NaN.
struct RunsMetric {
  std::string name, unit;  ///< a base unit: s, By/s
  Better better = Better::none;
  std::vector<double> values;  ///< the median of each run, in their order
  double median = 0;           ///< of the values
  double min = 0, max = 0;
  /// Standard deviation of the logarithms, as in a comparison; of two runs and more.
  double spread = 0;
  /// 95 % interval over runs: Student's t on the logarithms.
  double low = 0, high = 0;
};

/// A run that has no number of the case.
struct RunWithout {
  std::string run;               ///< its label
  std::optional<Status> status;  ///< nothing = the case is not in it
  std::string reason;
};

struct RunsRow {
  std::string key;
  Point params;
  std::vector<RunsMetric> metrics;  ///< the primary one first; empty = no run measured it
  std::vector<RunWithout> without;

  std::size_t runs() const { return metrics.empty() ? 0 : metrics.front().values.size(); }
  /// `ok` if any run measured it, else what the first run that has the case says.
  Status status() const;
};

/// A fact of the machine, the job's shape or the build in which the runs differ.
struct RunsDifference {
  std::string fact;
  std::vector<std::pair<std::string, std::vector<std::string>>> values;  ///< and the runs of each
};

struct RunsTable {
  std::vector<std::string> labels;  ///< of the runs: file names, or paths where names repeat
  std::string version;              ///< of the program; empty = not Scalemark, or several
  std::string ranks, nodes;         ///< numbers; empty where the runs differ or do not say it
  std::string first, last;          ///< when they started
  std::vector<RunsRow> rows;        ///< in the order of the plans
  std::vector<RunsDifference> differences;
  std::vector<std::string> notes;  ///< runs that are not complete
};

/// The cases that `wanted` takes, of runs as compare reads them. `params` are those of the cases.
/// Throws UsageError for a run that is there twice, and for a baseline.
RunsTable runs_table(std::span<const compare::RunDigest> runs,
                     const std::map<std::string, Point>& params,
                     const std::function<bool(const std::string& key)>& wanted);

}  // namespace scalemark::print
