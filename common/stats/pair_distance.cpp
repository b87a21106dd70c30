// SPDX-License-Identifier: Apache-2.0
// Finds the k-th smallest distance by bisection: counting those below a bound takes one pass over
// sorted values.
#include "common/stats/pair_distance.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace scalemark::stats {
namespace {

/// Pairs of sorted values at most `bound` apart.
std::size_t pairs_within(const std::vector<double>& sorted, double bound) {
  std::size_t count = 0, first = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    while (sorted[i] - sorted[first] > bound) ++first;
    count += i - first;
  }
  return count;
}

/// The estimator is too small or too large for few values (Croux and Rousseeuw 1992).
double factor_of(std::size_t n) {
  constexpr std::array kFew{0.399, 0.994, 0.512, 0.844, 0.611, 0.857, 0.669, 0.872};  // n = 2 ... 9
  if (n < 2 + kFew.size()) return kFew[n - 2];
  const auto number = static_cast<double>(n);
  return number / (number + (n % 2 == 1 ? 1.4 : 3.8));
}

}  // namespace

double pair_distance(std::span<const double> values) {
  constexpr double kNormal = 2.21914;
  const std::size_t n = values.size();
  if (n < 2) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const std::size_t half = n / 2 + 1, wanted = half * (half - 1) / 2;
  double low = 0, high = sorted.back() - sorted.front();
  if (pairs_within(sorted, low) >= wanted) return 0;
  // Ends when no number lies between them.
  for (double middle = high / 2; middle > low && middle < high; middle = low + (high - low) / 2)
    (pairs_within(sorted, middle) >= wanted ? high : low) = middle;
  return kNormal * factor_of(n) * high;
}

}  // namespace scalemark::stats
