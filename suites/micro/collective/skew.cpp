// SPDX-License-Identifier: Apache-2.0
// Unequal counts, as tokens of a mixture of experts have them.
#include "suites/micro/collective/skew.hpp"

#include <cmath>
#include <numeric>

namespace scalemark::micro {

std::vector<double> zipf_shares(int ranks, double skew) {
  std::vector<double> shares;
  for (int k = 1; k <= ranks; ++k) shares.push_back(std::pow(k, -skew));
  const double whole = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= whole;
  return shares;
}

std::vector<std::size_t> skewed_counts(std::size_t mean, int ranks, double skew) {
  const std::vector<double> shares = zipf_shares(ranks, skew);
  // Where each part ends is rounded, and the last sum of shares is `whole`: the counts' sum is
  // exact.
  const double total = static_cast<double>(mean) * ranks,
               whole = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<std::size_t> counts;
  double sum = 0;
  std::size_t before = 0;
  for (const double share : shares) {
    sum += share;
    const auto end = static_cast<std::size_t>(std::llround(total * (sum / whole)));
    counts.push_back(end - before);
    before = end;
  }
  return counts;
}

}  // namespace scalemark::micro
