// SPDX-License-Identifier: Apache-2.0
// Generates the data of golden files: each element is a function of (seed, stream, index).
#pragma once

#include <cstdint>

namespace scalemark::golden {

/// splitmix64 (Steele, Lea, Flood 2014); mix(0) = 0xE220A8397B1DCDAF.
std::uint64_t mix(std::uint64_t x);
/// mix(mix(mix(seed) + stream) + i)
std::uint64_t word(std::uint64_t seed, std::uint64_t stream, std::uint64_t i);
/// (word >> 11) * 2^-52 - 1: a double in [-1, 1), exact
double sym(std::uint64_t seed, std::uint64_t stream, std::uint64_t i);

}  // namespace scalemark::golden
