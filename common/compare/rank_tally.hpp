// SPDX-License-Identifier: Apache-2.0
// Which ranks are slow: counted case by case, tested over the cases of all runs of a side.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/result/model.hpp"

namespace scalemark::compare {

/// How often one rank of a run was slow.
struct RankTally {
  std::string place;          ///< "rank 3 on node7 (GPU-...)"
  std::size_t cases = 0;      ///< that could show it
  std::size_t slow = 0;       ///< that did
  double expected = 0;        ///< slow cases if every rank were as likely: the sum of 1 / ranks
  std::vector<float> slower;  ///< by how much in those, as fractions
};

/// One tally a rank of the run.
std::vector<RankTally> rank_tallies(const std::vector<RankInfo>& ranks);

/// How much longer each rank took than the middle one, as the logarithm of the ratio: the median
/// over iterations, so that what slows all ranks at once cancels. Empty where the case cannot tell.
///
/// A late rank has the shortest collective: a case is judged by `lateness` (of entering the
/// operation) or `local_time` where it has them, else, if the ranks worked without each other (fact
/// `rank_local`), by its primary metric.
std::vector<double> rank_slowness(const CaseResult& result);

/// Counts the ranks that stand out from the middle one by more than 5 robust standard deviations
/// and 2 %; of two ranks the slower one, if it takes 10 % longer than the other: other cases of two
/// do not count.
void tally(const CaseResult& result, std::vector<RankTally>& tallies);

}  // namespace scalemark::compare
