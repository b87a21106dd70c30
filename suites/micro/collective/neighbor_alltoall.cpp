// SPDX-License-Identifier: Apache-2.0
// Neighbor_alltoall: a block for each neighbor in a grid.
#include "suites/micro/collective/collective_case.hpp"

namespace scalemark::micro {
namespace {

using collective::Routine;

/// A rank sends a block to each neighbor, and gets as many.
void neighbor_alltoall(Case& c) {
  measure_collective(c, Routine::neighbor_alltoall, {.formula = "neighbors * bytes / latency"});
}

SCALEMARK_BENCHMARK("micro/neighbor_alltoall", neighbor_alltoall)
    .doc("A block of its own to each neighbor in a periodic grid of the ranks; bytes is the block")
    .ranks(kFewestInAGrid, kFewestInAGrid)
    .with(collective_axes(Routine::neighbor_alltoall));

}  // namespace
}  // namespace scalemark::micro
