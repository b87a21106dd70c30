// SPDX-License-Identifier: Apache-2.0
// Prints a baseline as text.
#pragma once

#include <cstddef>
#include <ostream>

#include "common/compare/digest.hpp"

namespace scalemark::compare {

/// Prints rows with mean, spread over runs and number of runs, and the priors of their variances:
/// s0^2 (of ln of a run's value) with d0 degrees of freedom. `width`: columns; 0 = no limit.
void print_baseline(const RunDigest& baseline, std::size_t width, std::ostream& out);

}  // namespace scalemark::compare
