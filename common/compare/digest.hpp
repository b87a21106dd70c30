// SPDX-License-Identifier: Apache-2.0
// What a comparison needs of a run: one number a case, how it came about, and the facts of its
// environment.
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

/// One number of a case that is not judged.
struct SecondaryValue {
  std::string metric, unit;
  Better better = Better::none;
  double value = 0;
};

/// The median of what was watched.
struct WatchedValue {
  double value = 0;
  std::string unit;
};

/// One case of one run, reduced to its primary metric.
struct RowDigest {
  Status status = Status::ok;  ///< failed, too, where the data was found wrong
  std::string reason;
  std::string metric, unit;
  Better better = Better::none;
  double value = 0;  ///< the run's median; NaN if it has none
  /// Smallest step of the clock relative to the measured time; 0 = no step.
  double relative_resolution = 0;
  std::string config_hash;
  /// The metric where the slowest hundredth of the iterations begins; NaN below 1000 of them.
  double tail = std::numeric_limits<double>::quiet_NaN();
  /// 95 % interval of the tail: how well these iterations know it.
  double tail_low = std::numeric_limits<double>::quiet_NaN();
  double tail_high = std::numeric_limits<double>::quiet_NaN();
  std::set<std::string> flags;  ///< warmup_short, throttled, ...: what is doubtful in this run
  /// Logarithms of evenly spaced quantiles of the iterations' times; empty where these are few.
  std::vector<float> sketch;
  std::vector<SecondaryValue> secondary;
  std::map<std::string, WatchedValue> telemetry;  ///< while the case ran: "gpu.clock"
  /// A baseline's row stands for several runs: their number, and the variance of ln(value).
  int runs = 1;
  double variance = std::numeric_limits<double>::quiet_NaN();
};

struct RunDigest {
  std::string uuid;
  std::string imported_as;  ///< source, side and name of an imported run that has a name
  std::vector<std::string> part_uuids;  ///< of its further parts (join_runs.hpp)
  std::string label;                    ///< where it was read from, for messages
  bool complete = true;
  std::size_t planned = 0, finished = 0;
  std::vector<std::string> keys;  ///< in the order of the plan
  std::map<std::string, RowDigest> rows;
  std::map<std::string, std::string> environment;
  std::string started;  ///< ISO 8601 UTC
  std::string job;      ///< the scheduler's ids, joined; empty outside of jobs
  std::string nodes;    ///< names, sorted and joined
  std::vector<RankTally> ranks;
  /// Of a baseline: the uuids of the runs that it stands for, facts with the values of all of them,
  /// and the priors of their rows' variances by metric ("" for the others).
  std::vector<std::string> stands_for;
  std::map<std::string, std::set<std::string>> known_values;
  std::map<std::string, stats::Prior> priors;
};

/// What is known of the runs' environments.
std::vector<const std::map<std::string, std::string>*> environments_of(
    std::span<const RunDigest> runs);

/// Reduces a run case by case, so that samples of one case at a time need to be held.
class Digester {
 public:
  explicit Digester(const std::string& label);
  /// First. Cases in it are not looked at.
  void header(const Run& run);
  /// Cases in any order; the first of equal keys counts. Throws InputError for a second case with
  /// an index that was there.
  void add(const CaseResult& result);
  RunDigest finish();

 private:
  RunDigest digest_;
  std::map<std::size_t, std::string> order_;
};

/// Throws Error for a rate without its duration.
RunDigest digest(const Run& run, const std::string& label);

}  // namespace scalemark::compare
