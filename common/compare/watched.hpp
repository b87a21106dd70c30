// SPDX-License-Identifier: Apache-2.0
// Numbers that each run has one of, beside its times: which of them differ between the sides.
#pragma once

#include <span>
#include <vector>

#include "common/compare/compare.hpp"

namespace scalemark::compare {

/// Differences of what was not planned are told at this level, adjusted over all that was looked at
/// (Benjamini and Hochberg 1995).
inline constexpr double kCauseLevel = 0.01;

/// p of "no difference" between numbers of runs: two-sided t with pooled variance, which is at
/// least step^2 / 12, step being what a reading shows at best. NaN below three runs a side: what
/// changes from run to run anyway says nothing there.
double p_of_run_numbers(std::span<const double> a, std::span<const double> b, double step);

/// 1 where all are whole, for they may be counts, else `least`; and one hundredth of `level`.
double step_of(std::span<const double> values, double level, double least = 0);

/// Telemetry that differs between the sides while the rows ran that got worse. Each run is one
/// number a quantity (the median over these rows of what it has beyond the middle of the row),
/// tested at kCauseLevel over all quantities; told where it differs by 2 %, in the direction of
/// the whole, in at least half of these rows.
std::vector<LikelyCause> telemetry_causes(std::span<const RunDigest> a,
                                          std::span<const RunDigest> b,
                                          const Comparison& comparison);

}  // namespace scalemark::compare
