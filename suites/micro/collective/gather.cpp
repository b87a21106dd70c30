// SPDX-License-Identifier: Apache-2.0
// Gather: time until the root holds the blocks of all ranks. `bytes` is sent per rank.
#include "suites/micro/collective/collective_case.hpp"

namespace scalemark::micro {
namespace {

using collective::Routine;

/// The root's link carries the n - 1 blocks of the others.
void gather(Case& c) {
  measure_collective(c, Routine::gather,
                     {.bus_factor = blocks_of_others, .formula = "n * bytes * (n-1)/n / latency"});
}

SCALEMARK_BENCHMARK("micro/gather", gather)
    .doc("Blocks of all ranks on the root; bytes is what each rank sends")
    .ranks(1, 2)
    .with(collective_axes(Routine::gather));

}  // namespace
}  // namespace scalemark::micro
