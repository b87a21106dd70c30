// SPDX-License-Identifier: Apache-2.0
// Reduce-scatter: time until every rank holds its part of the reduction. `bytes` is the whole input
// of a rank.
#include "suites/micro/collective/collective_case.hpp"

namespace scalemark::micro {
namespace {

using collective::Routine;

/// Each rank's link carries the n - 1 parts of the others (nccl-tests, doc/PERFORMANCE.md).
void reduce_scatter(Case& c) {
  measure_collective(c, Routine::reduce_scatter,
                     {.bus_factor = blocks_of_others, .formula = "bytes * (n-1)/n / latency"});
}

SCALEMARK_BENCHMARK("micro/reduce_scatter", reduce_scatter)
    .doc("Each rank's part of the sum (or another reduction); bytes is a rank's whole input")
    .ranks(1, 2)
    .with(collective_axes(Routine::reduce_scatter));

}  // namespace
}  // namespace scalemark::micro
