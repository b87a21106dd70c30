// SPDX-License-Identifier: Apache-2.0
// Allgather: time until every rank holds the blocks of all ranks. `bytes` is sent per rank.
#include "suites/micro/collective/collective_case.hpp"

namespace scalemark::micro {
namespace {

using collective::Routine;

/// n - 1 of the n received blocks cross the rank's link (nccl-tests, doc/PERFORMANCE.md).
void allgather(Case& c) {
  measure_collective(c, Routine::allgather,
                     {.bus_factor = blocks_of_others, .formula = "n * bytes * (n-1)/n / latency"});
}

SCALEMARK_BENCHMARK("micro/allgather", allgather)
    .doc("Blocks of all ranks on every rank; bytes is what each rank sends")
    .ranks(1, 1)
    .with(collective_axes(Routine::allgather));

}  // namespace
}  // namespace scalemark::micro
