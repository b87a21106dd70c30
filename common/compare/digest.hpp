// SPDX-License-Identifier: Apache-2.0
// The digest of a run: one value per case, its quality flags, and the environment. It holds no
// samples.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "common/compare/rank_tally.hpp"
#include "common/result/model.hpp"
#include "common/stats/moderated.hpp"

namespace scalemark::compare {

/// A metric of a case besides the primary one; shown, but not tested.
struct SecondaryValue {
  std::string metric, unit;
  Better better = Better::none;
  double value = 0;
};

/// Telemetry of one quantity during a case: median, or mean for shares.
struct WatchedValue {
  double value = 0;
  std::string unit;
};

/// One case of one run, reduced to its primary metric.
struct RowDigest {
  Status status = Status::ok;  ///< `failed` also if data verification found errors
  std::string reason;
  std::string metric, unit;
  Better better = Better::none;
  double value = 0;  ///< median over iterations; NaN = no value
  /// Clock resolution relative to the measured time; 0 = continuous clock.
  double relative_resolution = 0;
  std::string config_hash;
  /// The metric at the 99th percentile of the iteration time; NaN below 1000 iterations.
  double tail = std::numeric_limits<double>::quiet_NaN();
  /// 95 % interval of `tail`.
  double tail_low = std::numeric_limits<double>::quiet_NaN();
  double tail_high = std::numeric_limits<double>::quiet_NaN();
  std::set<std::string> flags;  ///< quality warnings of this run: warmup_short, throttled, ...
  /// Logarithms of 100 evenly spaced quantiles of the iteration times; empty below 50 iterations.
  std::vector<float> sketch;
  std::vector<SecondaryValue> secondary;
  /// Telemetry during the case, by name: "gpu.sm_clock".
  std::map<std::string, WatchedValue> telemetry;
  /// For a baseline: number of runs, and variance of ln(value) between them.
  int runs = 1;
  double variance = std::numeric_limits<double>::quiet_NaN();
};

/// One run, reduced to what a comparison needs.
struct RunDigest {
  std::string uuid;
  std::string imported_as;  ///< source, side and name of an imported run; empty if it has no name
  std::vector<std::string> part_uuids;  ///< uuids of further parts of this run (join_runs.hpp)
  std::string label;                    ///< path of the file, for messages
  bool complete = true;
  std::size_t planned = 0, finished = 0;
  std::vector<std::string> keys;  ///< in the order of the plan
  std::map<std::string, RowDigest> rows;
  std::map<std::string, std::string> environment;
  std::string started;  ///< ISO 8601 UTC
  std::string job;      ///< ids of the scheduler's job; empty outside of jobs
  std::string nodes;    ///< sorted host names, separated by blanks
  std::vector<RankTally> ranks;
  /// For a baseline: uuids of its runs, all values of each fact, and priors of the rows' variances
  /// by metric ("" = all others).
  std::vector<std::string> stands_for;
  std::map<std::string, std::set<std::string>> known_values;
  std::map<std::string, stats::Prior> priors;
};

/// The environment of each run.
std::vector<const std::map<std::string, std::string>*> environments_of(
    std::span<const RunDigest> runs);

/// Reduces a run case by case, so that only one case's samples are in memory at a time.
class Digester {
 public:
  explicit Digester(const std::string& label);
  /// Takes the run's metadata; ignores its cases. Call first.
  void header(const Run& run);
  /// Adds a case, in any order. Of cases with equal keys the first counts. Throws InputError for an
  /// index that was added before.
  void add(const CaseResult& result);
  /// Returns the digest; call last. Throws InputError for a baseline mixed with other cases.
  RunDigest finish();

 private:
  RunDigest digest_;
  std::map<std::size_t, std::string> order_;
};

/// Reduces a whole run. Throws Error for a rate whose duration metric is missing.
RunDigest digest(const Run& run, const std::string& label);

}  // namespace scalemark::compare
