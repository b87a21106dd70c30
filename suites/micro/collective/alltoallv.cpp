// SPDX-License-Identifier: Apache-2.0
// Alltoallv: an alltoall with one count per rank. All counts are equal, as in OSU.
#include "suites/micro/collective/collective_case.hpp"

namespace scalemark::micro {
namespace {

using collective::Routine;

/// As alltoall: n - 1 of a rank's n blocks leave over its link.
void alltoallv(Case& c) {
  measure_collective(c, Routine::alltoallv,
                     {.bus_factor = blocks_of_others, .formula = "n * bytes * (n-1)/n / latency"});
}

SCALEMARK_BENCHMARK("micro/alltoallv", alltoallv)
    .doc("Alltoall with a count per rank; bytes is the block")
    .ranks(1, 2)
    .with(collective_axes(Routine::alltoallv));

}  // namespace
}  // namespace scalemark::micro
