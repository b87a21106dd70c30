// SPDX-License-Identifier: Apache-2.0
// In which order a sweep goes through the cases of a plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace scalemark {

/// The plan indices in the order of each sweep. One sweep follows the plan. Of several each has an
/// order of its own, drawn from `seed` and the same wherever it is computed, so that what changes
/// with time is not taken for what changes along the plan.
std::vector<std::vector<std::size_t>> sweep_orders(std::size_t cases, int sweeps,
                                                   std::uint64_t seed);

}  // namespace scalemark
