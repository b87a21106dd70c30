// SPDX-License-Identifier: Apache-2.0
// Alltoall: time until every rank holds a block from each rank. `bytes` is sent per destination.
#include "suites/micro/collective/collective_case.hpp"

namespace scalemark::micro {
namespace {

using collective::Routine;

/// n - 1 of a rank's n blocks leave over its link (nccl-tests, doc/PERFORMANCE.md).
void alltoall(Case& c) {
  measure_collective(c, Routine::alltoall,
                     {.bus_factor = blocks_of_others, .formula = "n * bytes * (n-1)/n / latency"});
}

SCALEMARK_BENCHMARK("micro/alltoall", alltoall)
    .doc("A block from every rank to every rank; bytes is the block")
    .ranks(1, 2)
    .with(collective_axes(Routine::alltoall));

}  // namespace
}  // namespace scalemark::micro
