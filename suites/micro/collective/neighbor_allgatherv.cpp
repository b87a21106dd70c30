// SPDX-License-Identifier: Apache-2.0
// Neighbor_allgatherv: neighbor_allgather with one count per neighbor. All are equal, as in OSU.
#include "suites/micro/collective/collective_case.hpp"

namespace scalemark::micro {
namespace {

using collective::Routine;

/// A rank sends its block to each neighbor, and gets as many.
void neighbor_allgatherv(Case& c) {
  measure_collective(c, Routine::neighbor_allgatherv, {.formula = "neighbors * bytes / latency"});
}

SCALEMARK_BENCHMARK("micro/neighbor_allgatherv", neighbor_allgatherv)
    .doc("Neighbor_allgather with a count per neighbor; bytes is the block")
    .ranks(kFewestInAGrid, kFewestInAGrid)
    .with(collective_axes(Routine::neighbor_allgatherv));

}  // namespace
}  // namespace scalemark::micro
