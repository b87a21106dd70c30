// SPDX-License-Identifier: Apache-2.0
// Neighbor_alltoallw: neighbor_alltoall with one count and one type per neighbor. All are equal.
#include "suites/micro/collective/collective_case.hpp"

namespace scalemark::micro {
namespace {

using collective::Routine;

/// A rank sends a block to each neighbor, and gets as many.
void neighbor_alltoallw(Case& c) {
  measure_collective(c, Routine::neighbor_alltoallw, {.formula = "neighbors * bytes / latency"});
}

SCALEMARK_BENCHMARK("micro/neighbor_alltoallw", neighbor_alltoallw)
    .doc("Neighbor_alltoall with a count and a type per neighbor; bytes is the block")
    .ranks(kFewestInAGrid, kFewestInAGrid)
    .with(collective_axes(Routine::neighbor_alltoallw));

}  // namespace
}  // namespace scalemark::micro
