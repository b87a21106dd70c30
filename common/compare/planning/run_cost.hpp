// SPDX-License-Identifier: Apache-2.0
// What a run cost, and how much of its noise is its own: for planning the next one.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <string>

#include "common/result/model.hpp"

namespace scalemark::compare {

struct CaseCost {
  double seconds = 0;  ///< from its start to its stop; NaN where the file does not say
  /// Variance of the logarithm of the median that comes from the iterations of this run alone; NaN
  /// where they do not tell.
  double within = 0;
};

struct RunCost {
  std::size_t nodes = 0;
  /// Of all cases together; NaN where none has a time.
  double seconds = std::numeric_limits<double>::quiet_NaN();
  std::map<std::string, CaseCost> cases;  ///< by key
};

/// Of a run, or of its header, to which cases are added one by one.
RunCost run_cost(const Run& run);
void add_case(const CaseResult& result, RunCost& cost);

/// Of one run that was read from several files: its other cases, and the time of both parts.
void add_part(const RunCost& part, RunCost& whole);

}  // namespace scalemark::compare
