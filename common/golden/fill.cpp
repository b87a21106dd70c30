// SPDX-License-Identifier: Apache-2.0
// Generates the data of golden files.
#include "common/golden/fill.hpp"

namespace scalemark::golden {

std::uint64_t mix(std::uint64_t x) {
  std::uint64_t z = x + 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

std::uint64_t word(std::uint64_t seed, std::uint64_t stream, std::uint64_t i) {
  return mix(mix(mix(seed) + stream) + i);
}

double sym(std::uint64_t seed, std::uint64_t stream, std::uint64_t i) {
  return static_cast<double>(word(seed, stream, i) >> 11) * 0x1p-52 - 1;
}

}  // namespace scalemark::golden
