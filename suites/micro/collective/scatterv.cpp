// SPDX-License-Identifier: Apache-2.0
// Scatterv: a scatter with one count per rank. All counts are equal, as in OSU.
#include "suites/micro/collective/collective_case.hpp"

namespace scalemark::micro {
namespace {

using collective::Routine;

/// As scatter: the root's link carries the n - 1 blocks of the others.
void scatterv(Case& c) {
  measure_collective(c, Routine::scatterv,
                     {.bus_factor = blocks_of_others, .formula = "n * bytes * (n-1)/n / latency"});
}

SCALEMARK_BENCHMARK("micro/scatterv", scatterv)
    .doc("Scatter with a count per rank; bytes is the block")
    .ranks(1, 2)
    .with(collective_axes(Routine::scatterv));

}  // namespace
}  // namespace scalemark::micro
