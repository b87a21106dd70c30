// SPDX-License-Identifier: Apache-2.0
// Gatherv: a gather with one count per rank. All counts are equal, as in OSU.
#include "suites/micro/collective/collective_case.hpp"

namespace scalemark::micro {
namespace {

using collective::Routine;

/// As gather: the root's link carries the n - 1 blocks of the others.
void gatherv(Case& c) {
  measure_collective(c, Routine::gatherv,
                     {.bus_factor = blocks_of_others, .formula = "n * bytes * (n-1)/n / latency"});
}

SCALEMARK_BENCHMARK("micro/gatherv", gatherv)
    .doc("Gather with a count per rank; bytes is what each rank sends")
    .ranks(1, 2)
    .with(collective_axes(Routine::gatherv));

}  // namespace
}  // namespace scalemark::micro
