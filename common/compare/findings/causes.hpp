// SPDX-License-Identifier: Apache-2.0
// Possible causes of a change: environment facts and telemetry that differ between the sides.
#pragma once

#include <span>
#include <vector>

#include "common/compare/compare.hpp"

namespace scalemark::compare {

/// Differences between the sides that may explain a change, most likely first. Empty unless a row
/// or the whole run changed.
/// Order: differences without a common value on both sides first; then telemetry before facts; then
/// identity, suspect, noise.
/// Facts are those in `comparison.environment`. Noise facts and telemetry are listed only if they
/// differ significantly (watched.hpp). If a fact also differs within one side and explains its slow
/// runs, the text says so.
/// `comparison` must have its rows, environment and shift.
std::vector<LikelyCause> likely_causes(std::span<const RunDigest> a, std::span<const RunDigest> b,
                                       const Comparison& comparison);

}  // namespace scalemark::compare
