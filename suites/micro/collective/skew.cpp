// SPDX-License-Identifier: Apache-2.0
// Unequal counts, as tokens of a mixture of experts have them.
#include "suites/micro/collective/skew.hpp"

#include <cmath>

namespace scalemark::micro {

std::vector<std::size_t> skewed_counts(std::size_t mean, int ranks, double skew) {
  std::vector<double> share(static_cast<std::size_t>(ranks));
  double whole = 0;
  for (std::size_t k = 0; k < share.size(); ++k)
    whole += share[k] = std::pow(static_cast<double>(k + 1), -skew);
  // Where each part ends is rounded, so that the sum is exact.
  const double total = static_cast<double>(mean) * ranks;
  std::vector<std::size_t> counts;
  double sum = 0;
  std::size_t before = 0;
  for (const double one : share) {
    sum += one;
    const auto end = static_cast<std::size_t>(std::llround(total * (sum / whole)));
    counts.push_back(end - before);
    before = end;
  }
  return counts;
}

}  // namespace scalemark::micro
