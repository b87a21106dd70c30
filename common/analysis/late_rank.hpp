// SPDX-License-Identifier: Apache-2.0
// Finds the straggler of a case: the rank that enters the operation late and delays the others.
#pragma once

#include <optional>
#include <string>

#include "common/result/model.hpp"

namespace scalemark::analysis {

/// A rank that enters the operation of a case late.
struct LateRank {
  std::size_t rank = 0;  ///< rank within the case
  double seconds = 0;   ///< median lateness relative to the other rank, or to the median over ranks
  double fraction = 0;  ///< of an iteration: `seconds` / (operation time + `local_time` before it)
};

/// The rank with the largest median lateness, if it is significant. Lateness is taken per iteration
/// relative to the other rank, or to the median over more than two ranks. Its 95 % interval must
/// lie above 2 % of an iteration, three times the clock residual, and the duration of the barrier
/// before a sample. The barrier counts because ranks do not leave it at the same time. Durations of
/// the operation cannot identify a straggler: the late rank has the shortest one. Nothing below 20
/// counted iterations or below two ranks.
std::optional<LateRank> late_rank(const CaseResult& result);

/// "rank 3 is late by 105 us (5.0 %)"
std::string late_text(const LateRank& late);

}  // namespace scalemark::analysis
