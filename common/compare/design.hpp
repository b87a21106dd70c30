// SPDX-License-Identifier: Apache-2.0
// Pairs runs of A and B into blocks. The runs of a block ran one after the other on the same nodes,
// so that the influence of nodes and time cancels in their difference.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "common/compare/digest.hpp"

namespace scalemark::compare {

/// Option --paired.
enum class Pairing { automatic, yes, no };

/// Index of a run of A and of a run of B.
struct Block {
  std::size_t a = 0, b = 0;
};

/// How runs are paired.
struct Design {
  std::vector<Block> blocks;  ///< empty = not paired
  bool paired() const { return !blocks.empty(); }
};

/// Decides whether runs are paired. `automatic`: paired if every run has a job id, runs of A and B
/// alternate within each job and its nodes, and there are at least three blocks. `yes`: jobs do not
/// matter and two blocks suffice; throws UsageError with the reason if pairing is impossible. `no`:
/// never paired.
Design design_of(std::span<const RunDigest> a, std::span<const RunDigest> b, Pairing pairing);

}  // namespace scalemark::compare
