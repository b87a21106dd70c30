// SPDX-License-Identifier: Apache-2.0
// Neighbor_alltoallv: neighbor_alltoall with one count per neighbor. All are equal, as in OSU.
#include "suites/micro/collective/collective_case.hpp"

namespace scalemark::micro {
namespace {

using collective::Routine;

/// A rank sends a block to each neighbor, and gets as many.
void neighbor_alltoallv(Case& c) {
  measure_collective(c, Routine::neighbor_alltoallv, {.formula = "neighbors * bytes / latency"});
}

SCALEMARK_BENCHMARK("micro/neighbor_alltoallv", neighbor_alltoallv)
    .doc("Neighbor_alltoall with a count per neighbor; bytes is the block")
    .ranks(kFewestInAGrid, kFewestInAGrid)
    .with(collective_axes(Routine::neighbor_alltoallv));

}  // namespace
}  // namespace scalemark::micro
