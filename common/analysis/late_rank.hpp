// SPDX-License-Identifier: Apache-2.0
// The rank that keeps the others waiting.
#pragma once

#include <optional>
#include <string>

#include "common/result/model.hpp"

namespace scalemark::analysis {

/// A rank that enters the operation of a case late.
struct LateRank {
  std::size_t rank = 0;  ///< of the case
  double seconds = 0;    ///< median lateness: beyond the other rank, or the middle one of several
  double fraction = 0;   ///< of an iteration: of the work before the operation and its time
};

/// The rank with the largest median lateness, if that is sure: the lower end of its 95 % interval
/// (of the paired difference to the other rank, or to the middle one in each iteration) lies above
/// 2 % of an iteration, three times the residual of the clock, and what a barrier takes, where one
/// started the samples (ranks do not leave it together). How long an operation took a rank says
/// nothing: the late one has the shortest. Nothing below 20 iterations.
std::optional<LateRank> late_rank(const CaseResult& result);

/// "rank 3 is late by 105 us (5.0 %)"
std::string late_text(const LateRank& late);

}  // namespace scalemark::analysis
