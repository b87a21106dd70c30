// SPDX-License-Identifier: Apache-2.0
// Whether runs of the two sides belong together in blocks: made side by side on the same nodes, so
// that what the block does to both cancels.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "common/compare/digest.hpp"

namespace scalemark::compare {

enum class Pairing { automatic, yes, no };

/// Places of a run of each side.
struct Block {
  std::size_t a = 0, b = 0;
};

struct Design {
  std::vector<Block> blocks;  ///< empty: the sides stand for themselves
  bool paired() const { return !blocks.empty(); }
};

/// `automatic`: paired if every run has a job id, and in each job on the same nodes the runs of the
/// two sides take turns by their start times, in three blocks or more. `yes` wants turns on the
/// same nodes only, and two blocks; throws UsageError with the reason where it cannot be had.
Design design_of(std::span<const RunDigest> a, std::span<const RunDigest> b, Pairing pairing);

}  // namespace scalemark::compare
