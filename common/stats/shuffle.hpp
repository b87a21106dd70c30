// SPDX-License-Identifier: Apache-2.0
// A shuffle that is the same with every library.
#pragma once

#include <cstddef>
#include <random>

namespace scalemark::stats {

/// Puts the items into a random order, by Fisher and Yates' shuffle as Durstenfeld (1964) has it.
/// The standard says what the generator gives, but not what its shuffle does with that.
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
