// SPDX-License-Identifier: Apache-2.0
// What a comparison needs of a run: one number a case and the facts of its environment.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::report {

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
};

struct RunDigest {
  std::string uuid;
  std::string label;  ///< where it was read from, for messages
  bool complete = true;
  std::size_t planned = 0, finished = 0;
  std::vector<std::string> keys;  ///< in the order of the file
  std::map<std::string, RowDigest> rows;
  std::map<std::string, std::string> environment;
};

/// Adds a case to the digest of its run; a key that is there already is left out. Throws Error for
/// a rate without its duration.
void add_case(const CaseResult& result, RunDigest& run);

/// Throws Error for a rate without its duration.
RunDigest digest(const Run& run, const std::string& label);

}  // namespace scalemark::report
