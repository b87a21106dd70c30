// SPDX-License-Identifier: Apache-2.0
// Reduce_scatter_block: a reduce_scatter whose parts are equal by definition.
#include "suites/micro/collective/collective_case.hpp"

namespace scalemark::micro {
namespace {

using collective::Routine;

/// As reduce_scatter: each rank's link carries the n - 1 parts of the others.
void reduce_scatter_block(Case& c) {
  measure_collective(c, Routine::reduce_scatter_block,
                     {.bus_factor = blocks_of_others, .formula = "bytes * (n-1)/n / latency"});
}

SCALEMARK_BENCHMARK("micro/reduce_scatter_block", reduce_scatter_block)
    .doc("Reduce_scatter in equal parts; bytes is a rank's whole input")
    .ranks(1, 2)
    .with(collective_axes(Routine::reduce_scatter_block));

}  // namespace
}  // namespace scalemark::micro
