// SPDX-License-Identifier: Apache-2.0
// The measurement rounds of HCA3.
#include "common/clock/tree.hpp"

#include <bit>

namespace scalemark::clock {

std::vector<Edge> edges_of(int rank, int size) {
  std::vector<Edge> edges;
  const int whole = static_cast<int>(std::bit_floor(static_cast<unsigned>(size)));
  for (int distance = whole / 2; distance > 0; distance /= 2) {
    if (rank >= whole) break;
    const int place = rank % (2 * distance);
    if (place == 0) edges.push_back({.other = rank + distance, .answers = true});
    if (place == distance) edges.push_back({.other = rank - distance, .answers = false});
  }
  if (rank >= whole) edges.push_back({.other = rank - whole, .answers = false});
  if (rank < size - whole) edges.push_back({.other = rank + whole, .answers = true});
  return edges;
}

}  // namespace scalemark::clock
