// SPDX-License-Identifier: Apache-2.0
// What the samples of one case say: its value, its tail, its modes, and what is doubtful in it.
#pragma once

#include <map>
#include <string>

#include "common/compare/digest.hpp"
#include "common/result/model.hpp"

namespace scalemark::compare {

/// Fills value, relative_resolution, tail, flags and sketch from the metric, or, for a rate, from
/// the duration that it derives from. Throws Error where that is missing.
///
/// Flags: those of stats::steadiness_flags(); `few_effective_samples` (fewer than 30, although
/// there are more: neighbours repeat each other); `throttled`, `clock_changed`, `retried`,
/// `invalid` where iterations that count are marked so.
void look_at_samples(const CaseResult& result, const Metric& metric, RowDigest& row);

/// Medians of the columns of telemetry/node and telemetry/gpu, by "gpu.sm_clock", in their own
/// units; means of shares and events (unit 1). Times of readings and names are left out.
std::map<std::string, WatchedValue> telemetry_medians(const std::map<std::string, Table>& tables);

}  // namespace scalemark::compare
