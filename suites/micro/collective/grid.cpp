// SPDX-License-Identifier: Apache-2.0
// Grids of ranks and neighbors in them.
#include "suites/micro/collective/grid.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>

namespace scalemark::micro {
namespace {

/// Prime factors, largest first.
std::vector<int> factors_of(int number) {
  std::vector<int> factors;
  for (int factor = 2; factor * factor <= number; ++factor) {
    for (; number % factor == 0; number /= factor) factors.push_back(factor);
  }
  if (number > 1) factors.push_back(number);
  std::reverse(factors.begin(), factors.end());
  return factors;
}

/// The rank at `place`, whose coordinates may lie outside of the periodic grid.
int rank_at(const std::vector<int>& place, const std::vector<int>& grid) {
  int rank = 0;
  for (std::size_t d = 0; d < grid.size(); ++d)
    rank = rank * grid[d] + (place[d] % grid[d] + grid[d]) % grid[d];
  return rank;
}

}  // namespace

std::vector<int> grid_of(int ranks, int dimensions) {
  std::vector<int> grid(static_cast<std::size_t>(dimensions), 1);
  for (const int factor : factors_of(ranks)) *std::min_element(grid.begin(), grid.end()) *= factor;
  std::sort(grid.begin(), grid.end(), std::greater<>());
  return grid;
}

std::vector<int> neighbors_in_grid(int rank, const std::vector<int>& grid, int radius) {
  if (*std::min_element(grid.begin(), grid.end()) < 2 * radius + 1) return {};
  std::vector<int> corner(grid.size());
  for (std::size_t d = grid.size(); d-- > 0; rank /= grid[d]) corner[d] = rank % grid[d] - radius;
  const int side = 2 * radius + 1;
  int cells = 1;
  for (std::size_t d = 0; d < grid.size(); ++d) cells *= side;
  std::vector<int> neighbors;
  for (int cell = 0; cell < cells; ++cell) {
    if (cell == cells / 2) continue;  // the rank itself
    std::vector<int> place = corner;
    for (std::size_t d = grid.size(), rest = static_cast<std::size_t>(cell); d-- > 0;
         rest /= static_cast<std::size_t>(side))
      place[d] += static_cast<int>(rest % static_cast<std::size_t>(side));
    neighbors.push_back(rank_at(place, grid));
  }
  return neighbors;
}

}  // namespace scalemark::micro
