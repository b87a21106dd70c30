// SPDX-License-Identifier: Apache-2.0
// A chain of loads, each of which has the address of the next one.
#include "suites/micro/memory/pointer_chain.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>

namespace scalemark::micro {

PointerChain::PointerChain(std::uint64_t bytes) : order_(bytes / kLineBytes) {
  std::iota(order_.begin(), order_.end(), std::uint64_t{0});
  std::ranges::shuffle(order_, std::mt19937_64(1));
  for (std::uint64_t& position : order_) position *= kLine;
}

void PointerChain::write(std::uint64_t* words) const {
  for (std::size_t i = 0; i < order_.size(); ++i)
    words[order_[i]] = order_[(i + 1) % order_.size()];
}

}  // namespace scalemark::micro
