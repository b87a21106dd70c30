// SPDX-License-Identifier: Apache-2.0
// Allreduce: time until every rank holds the reduction of all ranks' buffers.
#include "suites/micro/collective/collective_case.hpp"

namespace scalemark::micro {
namespace {

using collective::Routine;

/// The best algorithm sends the buffer 2(n-1)/n times over each link (nccl-tests,
/// doc/PERFORMANCE.md).
double bus_factor(int n) { return 2.0 * (n - 1) / n; }

void allreduce(Case& c) {
  measure_collective(c, Routine::allreduce,
                     {.bus_factor = bus_factor, .formula = "bytes * 2(n-1)/n / latency"});
}

SCALEMARK_BENCHMARK("micro/allreduce", allreduce)
    .doc("Sum (or another reduction) of all ranks' buffers on every rank")
    .ranks(1, 2)
    .with(collective_axes(Routine::allreduce));

}  // namespace
}  // namespace scalemark::micro
