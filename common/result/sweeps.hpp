// SPDX-License-Identifier: Apache-2.0
// Joins the sweeps of a plan: the measurements of one case from each sweep become one case.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "common/result/model.hpp"
#include "common/stats/random_effects.hpp"

namespace scalemark {

/// Marks `part` as sweep `sweep` (from 0) of `planned`. Sets the facts `sweeps` (1, or 0 if it did
/// not end ok) and `sweeps_planned`. Names the sweep in the reason, unless the case was skipped
/// from the start.
void mark_sweep(CaseResult& part, int sweep, int planned);

/// Number of sweeps that a case holds; 1 if it was never marked.
int sweeps_of(const CaseResult& result);
/// Number of sweeps planned for a case; 1 if it was never marked.
int sweeps_planned(const CaseResult& result);
/// Whether the case needs no further sweep: it holds all planned ones, did not end ok, or is
/// measured once.
bool has_all_sweeps(const CaseResult& result);

/// The iteration at which each sweep starts in the samples of a metric; {0} for a single sweep.
/// Throws Error if the facts are inconsistent.
std::vector<std::size_t> sweep_starts(const CaseResult& result, const Metric& metric);

/// Appends a marked sweep to the earlier ones. Samples and masks are concatenated along iterations.
/// The fact `sweep_starts` says at which iteration of the primary metric each sweep starts; a
/// metric with other starts has `sweep_starts_<metric>`. `first_call` and other facts stay those of
/// the first sweep, but `late_starts` is summed, and `clock_residual` and `barrier_time` are the
/// largest. Tables with a column `t` get more rows; other tables are those of the last sweep. The
/// facts between_sweeps and within_sweeps come from spread_of_sweeps(). A sweep that did not end ok
/// sets status and reason of the case, which keeps its samples. Throws Error, and changes nothing,
/// if the two are of different cases or measured different quantities.
void append_sweep(CaseResult& all, const CaseResult& next);

/// How the primary metric spreads between sweeps and within them: standard deviations of the
/// natural logarithm of an iteration's value, so 0.02 is 2 %. Warm-up is left out. Nothing for a
/// single sweep, and for values that are not positive.
std::optional<stats::RandomEffects> spread_of_sweeps(const CaseResult& result);

}  // namespace scalemark
