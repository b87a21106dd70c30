// SPDX-License-Identifier: Apache-2.0
// Random orders that are the same on every machine.
#pragma once

#include <cstdint>
#include <vector>

namespace scalemark::micro {

/// 0 to `count` - 1 in an order that depends on `seed` only (Fisher and Yates).
std::vector<std::uint64_t> shuffled(std::uint64_t count, std::uint64_t seed);

}  // namespace scalemark::micro
