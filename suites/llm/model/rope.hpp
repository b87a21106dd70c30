// SPDX-License-Identifier: Apache-2.0
// Rotary positions: frequencies and the table of angles, in the precision asked for.
#pragma once

#include <cstdint>
#include <vector>

namespace scalemark::llm {

/// Frequencies base^(-2i / head_dim), i = 0 .. head_dim / 2 - 1. `scale` above 1 is Llama 3.1's
/// long-context scaling (low factor 1, high factor 4, old length 8192): wavelengths above 8192 are
/// divided by scale, those below 2048 are kept, those between are blended.
template <typename Real>
std::vector<Real> rope_frequencies(std::int64_t head_dim, double base, double scale);

/// [position][pair][cos, sin] of position * frequency, computed in Real throughout: the float table
/// has the rounding of a library that works in fp32.
template <typename Real>
std::vector<Real> rope_table(const std::vector<Real>& frequencies, std::int64_t positions);

}  // namespace scalemark::llm
