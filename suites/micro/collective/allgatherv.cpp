// SPDX-License-Identifier: Apache-2.0
// Allgatherv: an allgather with one count per rank. All counts are equal, as in OSU.
#include "suites/micro/collective/collective_case.hpp"

namespace scalemark::micro {
namespace {

using collective::Routine;

/// As allgather: n - 1 of n blocks cross the rank's link.
void allgatherv(Case& c) {
  measure_collective(c, Routine::allgatherv,
                     {.bus_factor = blocks_of_others, .formula = "n * bytes * (n-1)/n / latency"});
}

SCALEMARK_BENCHMARK("micro/allgatherv", allgatherv)
    .doc("Allgather with a count per rank; bytes is what each rank sends")
    .ranks(1, 1)
    .with(collective_axes(Routine::allgatherv));

}  // namespace
}  // namespace scalemark::micro
