// SPDX-License-Identifier: Apache-2.0
// Tests quantities with one value per run, such as telemetry, for differences between the sides.
#pragma once

#include <span>
#include <vector>

#include "common/compare/compare.hpp"

namespace scalemark::compare {

/// Significance level of possible causes, adjusted over all quantities tested (Benjamini and
/// Hochberg 1995). It is strict since many quantities are tested.
inline constexpr double kCauseLevel = 0.01;

/// p of "no difference" between per-run values: two-sided t-test with pooled variance. The variance
/// is at least step^2 / 12, where `step` is the resolution of a reading. NaN below three runs per
/// side.
double p_of_run_numbers(std::span<const double> a, std::span<const double> b, double step);

/// Resolution of readings: 1 if all are whole numbers (they may be counts), else `least`; at least
/// one hundredth of `level`.
double step_of(std::span<const double> values, double level, double least = 0);

/// Telemetry that differs between the sides in the rows that got worse. Each run is one value per
/// quantity: the median over these rows of its value minus the row's mean. Tested at kCauseLevel
/// over all quantities. Reported if at least half of these rows differ by 2 % or more in the same
/// direction.
std::vector<LikelyCause> telemetry_causes(std::span<const RunDigest> a,
                                          std::span<const RunDigest> b,
                                          const Comparison& comparison);

}  // namespace scalemark::compare
