// SPDX-License-Identifier: Apache-2.0
// Reduces the samples of a case: median, tail, quantile sketch and quality flags.
#pragma once

#include <map>
#include <string>

#include "common/compare/digest.hpp"
#include "common/result/model.hpp"

namespace scalemark::compare {

/// Fills in value, relative_resolution, tail, flags and sketch from the metric. A rate uses the
/// duration it is computed from; throws Error if that is missing.
///
/// Flags: those of stats::steadiness_flags(); `few_effective_samples` (effective sample size below
/// 30 due to autocorrelation); `throttled`, `clock_changed`, `retried`, `invalid` if measured
/// iterations have that mark.
void digest_samples(const CaseResult& result, const Metric& metric, RowDigest& row);

/// Medians of the columns in telemetry/node and telemetry/gpu, by name ("gpu.sm_clock") in their
/// own units. Shares and events (unit 1) are averaged instead. Columns for time and device are left
/// out.
std::map<std::string, WatchedValue> telemetry_medians(const std::map<std::string, Table>& tables);

}  // namespace scalemark::compare
