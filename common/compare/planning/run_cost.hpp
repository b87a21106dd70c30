// SPDX-License-Identifier: Apache-2.0
// Duration of a run's cases, and how much of their variance comes from within the run. Input of run
// plans.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <string>

#include "common/result/model.hpp"

namespace scalemark::compare {

/// One case of one run.
struct CaseCost {
  double seconds = 0;  ///< from start to stop; NaN if not stored
  /// Variance of ln(median) due to the limited number of iterations in this run; NaN if unknown.
  double within = 0;
};

/// One run.
struct RunCost {
  std::size_t nodes = 0;
  /// Total over all cases; NaN if no case has a duration.
  double seconds = std::numeric_limits<double>::quiet_NaN();
  std::map<std::string, CaseCost> cases;  ///< by key
};

/// The cost of a run. For a run read case by case, pass its header, then call add_case().
RunCost run_cost(const Run& run);
void add_case(const CaseResult& result, RunCost& cost);

/// Adds another file of the same run: its cases and its duration.
void add_part(const RunCost& part, RunCost& whole);

}  // namespace scalemark::compare
