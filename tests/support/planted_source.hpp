// SPDX-License-Identifier: Apache-2.0
// Durations with planted noise, and the median that the slowest of some ranks has by it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/support/random.hpp"

namespace scalemark::test {

/// Distributions of a duration in units of `kTypicalNs`, with relative `spread` s and standard
/// normal z: 1 + s z, whose mean is its median; exp(s z); and 1 + s times an exponential, a floor
/// with a tail.
enum class NoiseKind { normal, lognormal, exponential };

constexpr double kTypicalNs = 1e6;

struct Noise {
  NoiseKind kind = NoiseKind::normal;
  double spread = 0;

  /// One duration, in nanoseconds; none is negative.
  double draw(Random& random) const {
    if (kind == NoiseKind::exponential)
      return kTypicalNs * (1 - spread * std::log(random.uniform()));
    const double z = spread * random.normal();
    return kTypicalNs * (kind == NoiseKind::normal ? std::max(0.0, 1 + z) : std::exp(z));
  }

  /// The share of durations that are no longer than `nanoseconds`.
  double share_up_to(double nanoseconds) const {
    const double ratio = nanoseconds / kTypicalNs;
    if (kind == NoiseKind::exponential) return ratio <= 1 ? 0 : -std::expm1((1 - ratio) / spread);
    const double z = (kind == NoiseKind::normal ? ratio - 1 : std::log(ratio)) / spread;
    return 0.5 * std::erfc(-z / std::sqrt(2.0));
  }
};

/// The median of the longest of independent durations, one of each rank: there the product of their
/// shares is a half. In nanoseconds, to twelve digits.
inline double median_of_longest(const std::vector<Noise>& ranks) {
  double low = 0, high = 100 * kTypicalNs;
  while (high - low > 1e-12 * high) {
    const double middle = (low + high) / 2;
    double share = 1;
    for (const Noise& one : ranks) share *= one.share_up_to(middle);
    (share < 0.5 ? low : high) = middle;
  }
  return high;
}

}  // namespace scalemark::test
