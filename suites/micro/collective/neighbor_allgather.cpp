// SPDX-License-Identifier: Apache-2.0
// Neighbor_allgather: a rank's block to its neighbors in a grid.
#include "suites/micro/collective/collective_case.hpp"

namespace scalemark::micro {
namespace {

using collective::Routine;

/// A rank sends its block to each neighbor, and gets as many.
void neighbor_allgather(Case& c) {
  measure_collective(c, Routine::neighbor_allgather, {.formula = "neighbors * bytes / latency"});
}

SCALEMARK_BENCHMARK("micro/neighbor_allgather", neighbor_allgather)
    .doc("The same block to each neighbor in a periodic grid of the ranks; bytes is the block")
    .ranks(kFewestInAGrid, kFewestInAGrid)
    .with(collective_axes(Routine::neighbor_allgather));

}  // namespace
}  // namespace scalemark::micro
