// SPDX-License-Identifier: Apache-2.0
// A shuffle that gives the same order with every standard library.
#pragma once

#include <cstddef>
#include <random>

namespace scalemark::stats {

/// Shuffles the items (Fisher and Yates, as in Durstenfeld 1964). std::shuffle is not used: the C++
/// standard fixes the generator's numbers, but not how std::shuffle uses them.
template <class Sequence>
void shuffle(Sequence& items, std::mt19937_64& random) {
  for (std::size_t i = items.size(); i > 1; --i) {
    const std::size_t other = random() % i;
    const typename Sequence::value_type last = items[i - 1];
    items[i - 1] = items[other];
    items[other] = last;
  }
}

}  // namespace scalemark::stats
