// SPDX-License-Identifier: Apache-2.0
// Random numbers for tests that have to be the same tomorrow and elsewhere.
#pragma once

#include <cmath>
#include <cstdint>

namespace scalemark::test {

/// Random numbers that are the same on every machine (splitmix64, Steele, Lea and Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x2545F4914F6CDD1DU + 1) {}

  std::uint64_t word() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  double uniform() { return (static_cast<double>(word() >> 11) + 0.5) * 0x1p-53; }
  bool chance(double probability) { return uniform() < probability; }
  double normal() {
    return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * 3.141592653589793 * uniform());
  }

 private:
  std::uint64_t state_;
};

}  // namespace scalemark::test
