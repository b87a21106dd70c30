// SPDX-License-Identifier: Apache-2.0
// Sweeps over a plan: what each of them measured of a case becomes one case.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "common/result/model.hpp"
#include "common/stats/random_effects.hpp"

namespace scalemark {

/// Makes `part` what sweep `sweep` (from 0) of `planned` has measured of a case: facts `sweeps` (1,
/// or 0 if it did not end ok) and `sweeps_planned`, and which sweep it was in the reason, unless
/// the case was skipped from the start.
void mark_sweep(CaseResult& part, int sweep, int planned);

/// How many sweeps a case holds; 1 where nothing was marked.
int sweeps_of(const CaseResult& result);
/// How many it was to have; 1 where nothing was marked.
int sweeps_planned(const CaseResult& result);
/// Whether no further sweep over the case is to come: all planned ones are in it, it did not end
/// ok, or it is measured once.
bool has_all_sweeps(const CaseResult& result);

/// The iteration at which each sweep begins in the samples of a metric; {0} for a single one.
/// Throws Error where the facts say something impossible.
std::vector<std::size_t> sweep_starts(const CaseResult& result, const Metric& metric);

/// Puts a marked sweep behind the earlier ones. Samples and masks lie one behind the other along
/// iterations; facts `sweep_starts` (of the primary metric, and of any other as
/// sweep_starts_<metric> where it has other ones) say at which iteration each begins. `first_call`
/// and other facts stay those of the first sweep, but `late_starts` is a sum and `clock_residual`
/// and `barrier_time` are the largest. Tables with a column `t` get more rows, others are those of
/// the last sweep. Facts between_sweeps and within_sweeps are those of spread_of_sweeps(). A sweep
/// that did not end ok gives status and reason to the case, whose samples stay. Throws Error, and
/// changes nothing, where the two are not of one case or measured different quantities.
void append_sweep(CaseResult& all, const CaseResult& next);

/// How the primary metric spreads between sweeps and within them: standard deviations of the
/// natural logarithm of an iteration's value, so 0.02 is 2 %. Warm-up is left out. Nothing for a
/// single sweep, and for values that are not positive.
std::optional<stats::RandomEffects> spread_of_sweeps(const CaseResult& result);

}  // namespace scalemark
