// SPDX-License-Identifier: Apache-2.0
// Alltoallw: an alltoall with one count and one type per rank. All are equal, as in OSU.
#include "suites/micro/collective/collective_case.hpp"

namespace scalemark::micro {
namespace {

using collective::Routine;

/// As alltoall: n - 1 of a rank's n blocks leave over its link.
void alltoallw(Case& c) {
  measure_collective(c, Routine::alltoallw,
                     {.bus_factor = blocks_of_others, .formula = "n * bytes * (n-1)/n / latency"});
}

SCALEMARK_BENCHMARK("micro/alltoallw", alltoallw)
    .doc("Alltoall with a count and a type per rank; bytes is the block")
    .ranks(1, 2)
    .with(collective_axes(Routine::alltoallw));

}  // namespace
}  // namespace scalemark::micro
