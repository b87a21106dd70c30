// SPDX-License-Identifier: Apache-2.0
// A baseline as text.
#pragma once

#include <cstddef>
#include <ostream>

#include "common/compare/digest.hpp"

namespace scalemark::compare {

/// Its rows with mean, spread over runs and number of runs, and the priors s0^2 (of ln of a run's
/// value) and d0 that comparisons lend to them. `width`: columns; 0 = not limited.
void print_baseline(const RunDigest& baseline, std::size_t width, std::ostream& out);

}  // namespace scalemark::compare
