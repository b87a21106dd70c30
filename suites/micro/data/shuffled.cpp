// SPDX-License-Identifier: Apache-2.0
// Draws orders without the standard library's distributions, which differ between libraries.
#include "suites/micro/data/shuffled.hpp"

#include <numeric>
#include <random>
#include <utility>

namespace scalemark::micro {

std::vector<std::uint64_t> shuffled(std::uint64_t count, std::uint64_t seed) {
  std::vector<std::uint64_t> order(count);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::mt19937_64 random(seed);
  for (std::uint64_t i = count; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

}  // namespace scalemark::micro
