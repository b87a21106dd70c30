// SPDX-License-Identifier: Apache-2.0
// Alltoall: how long until every rank holds a block from each. `bytes` is what goes to each rank.
#include "suites/micro/collective/collective_case.hpp"

namespace scalemark::micro {
namespace {

using collective::Routine;

/// Of a rank's n blocks, n - 1 leave over its link (nccl-tests, doc/PERFORMANCE.md).
double bus_factor(int n) { return static_cast<double>(n - 1) / n; }

void alltoall(Case& c) {
  measure_collective(c, Routine::alltoall,
                     {.bus_factor = bus_factor, .formula = "n * bytes * (n-1)/n / latency"});
}

SCALEMARK_BENCHMARK("micro/alltoall", alltoall)
    .doc("A block from every rank to every rank; bytes is the block")
    .ranks(1, 2)
    .with(collective_axes(Routine::alltoall));

}  // namespace
}  // namespace scalemark::micro
