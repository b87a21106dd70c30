// SPDX-License-Identifier: Apache-2.0
// Counts how often each rank is slow over the cases of a run (straggler statistics).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::compare {

/// How often one rank of a run was slow.
struct RankTally {
  std::string place;          ///< "rank 3 on node7 (GPU-...)"
  std::size_t cases = 0;      ///< cases in which a slow rank could be seen
  std::size_t slow = 0;       ///< cases in which this rank was slow
  double expected = 0;        ///< slow cases if every rank were equally likely: sum of 1 / ranks
  std::vector<float> slower;  ///< relative slow-down in each of those cases
};

/// Empty tallies, one per rank of the run.
std::vector<RankTally> rank_tallies(const std::vector<RankInfo>& ranks);

/// Per rank, ln of its time relative to the median over ranks, as a median over iterations. A
/// slow-down of all ranks cancels. Empty if the case cannot show slow ranks.
///
/// A late rank has the shortest time in a collective. So `lateness` (when a rank enters the
/// operation) is used first, then `local_time`. The primary metric is used only if ranks worked
/// independently (fact `rank_local`).
std::vector<double> rank_slowness(const CaseResult& result);

/// Adds a case to the tallies. A rank is slow if it exceeds the median by 5 robust standard
/// deviations and by 2 %. With two ranks, one is slow if it takes 10 % longer than the other;
/// otherwise the case does not count.
void tally(const CaseResult& result, std::vector<RankTally>& tallies);

}  // namespace scalemark::compare
