// SPDX-License-Identifier: Apache-2.0
// How a case was timed.
#pragma once

#include <string_view>

#include "common/result/model.hpp"

namespace scalemark {

/// Whether its ranks worked independently of each other (fact `rank_local`).
bool is_rank_local(const CaseResult& result);

/// A metric that is a duration, or the duration that a rate derives from. Null if the case has
/// neither.
const Metric* duration_of(const CaseResult& result, std::string_view metric);

}  // namespace scalemark
