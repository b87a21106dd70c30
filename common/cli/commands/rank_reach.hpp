// SPDX-License-Identifier: Apache-2.0
// How far a form over ranks is used beyond the ranks that it was fitted to.
#pragma once

#include <set>
#include <string>

namespace scalemark::cli {

struct RankReach {
  int ranks = 0;             ///< predicted
  double beyond = 1;         ///< ranks / most ranks measured
  double tested_beyond = 1;  ///< most ranks measured / next smaller number

  /// Whether nothing tells how good the form is there.
  bool is_far() const { return beyond > tested_beyond; }
  /// "64 ranks are 16 times the most that was measured; the forms were tested over 2 times only."
  std::string note() const;
};

/// `measured` has two numbers of ranks or more.
RankReach reach_of(int ranks, const std::set<int>& measured);

}  // namespace scalemark::cli
