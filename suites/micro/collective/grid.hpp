// SPDX-License-Identifier: Apache-2.0
// Neighbors of a rank in a periodic grid of all ranks, as in OSU's neighborhood tests.
#pragma once

#include <vector>

namespace scalemark::micro {

/// Lengths of a grid of `ranks` ranks, largest first and as alike as possible (MPI_Dims_create).
std::vector<int> grid_of(int ranks, int dimensions);

/// Ranks within `radius` of `rank` in each dimension, diagonals included: (2 radius + 1)^dimensions
/// - 1 of them, ordered by their distance from -radius to radius, so that the i-th neighbor of a
/// rank has that rank as its i-th from the end. Rank 0 is the first corner, and the last dimension
/// varies fastest. Empty if the grid is too small for as many different neighbors.
std::vector<int> neighbors_in_grid(int rank, const std::vector<int>& grid, int radius);

}  // namespace scalemark::micro
