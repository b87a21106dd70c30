// SPDX-License-Identifier: Apache-2.0
// What may have made rows worse: facts of the environment, and what was watched while cases ran.
#pragma once

#include <span>
#include <vector>

#include "common/compare/compare.hpp"

namespace scalemark::compare {

/// None unless a row, or the whole run, changed. Differences between the sides, most likely causes
/// first: what separates the sides (no value on both) before what does not, telemetry of the rows
/// that got worse before facts, identity before suspect before noise. Facts are those of
/// `comparison.environment`; one of class noise is named only where it separates repeated runs
/// beyond chance, telemetry only where it differs beyond chance (watched.hpp). Where the runs of
/// one side differ in a fact, too, and those with the other side's value are as slow as that side,
/// the text says so. `comparison` has its rows, environment and shift already.
std::vector<LikelyCause> likely_causes(std::span<const RunDigest> a, std::span<const RunDigest> b,
                                       const Comparison& comparison);

}  // namespace scalemark::compare
