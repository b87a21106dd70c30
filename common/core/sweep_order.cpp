// SPDX-License-Identifier: Apache-2.0
// Orders drawn one after the other from one generator.
#include "common/core/sweep_order.hpp"

#include <numeric>
#include <random>

#include "common/stats/shuffle.hpp"

namespace scalemark {

std::vector<std::vector<std::size_t>> sweep_orders(std::size_t cases, int sweeps,
                                                   std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<std::size_t>> orders;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    std::vector<std::size_t> order(cases);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (sweeps > 1) stats::shuffle(order, random);
    orders.push_back(std::move(order));
  }
  return orders;
}

}  // namespace scalemark
