// SPDX-License-Identifier: Apache-2.0
// Which ranks access the memory of which others, and where.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace scalemark::micro {

/// A place in the memory of a rank. Each rank has one for each access to it, so that no two write
/// to the same memory.
struct Place {
  int rank = 0;
  std::size_t slot = 0;
};

/// What one rank does, and what is done to it.
struct RankAccesses {
  std::vector<Place> targets;  ///< that it accesses
  std::vector<int> accessors;  ///< of its own memory, by slot; a rank may be there twice
};

/// Values of axis `pattern`: rank 0 accesses all others, all others rank 0 (an incast), each rank
/// all others, or each its two neighbors in a ring. IMB-RMA's One_put_all and One_get_all are the
/// first, All_put_all and All_get_all the third, Exchange_put and Exchange_get the last.
std::vector<std::string> access_patterns();

/// Of `rank` among `ranks`, at least two of them. Ranks begin with different targets, as in
/// IMB-RMA.
RankAccesses accesses_of(const std::string& pattern, int rank, int ranks);

/// Slots that each rank needs, so that the memory of all is equal.
std::size_t slots_of(const std::string& pattern, int ranks);
/// Slots and targets of the rank that has most of both.
std::size_t pieces_of(const std::string& pattern, int ranks);

}  // namespace scalemark::micro
