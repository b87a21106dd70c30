// SPDX-License-Identifier: Apache-2.0
// Scatter: time until every rank holds its block of the root's buffer. `bytes` is the block.
#include "suites/micro/collective/collective_case.hpp"

namespace scalemark::micro {
namespace {

using collective::Routine;

/// The root's link carries the n - 1 blocks of the others.
void scatter(Case& c) {
  measure_collective(c, Routine::scatter,
                     {.bus_factor = blocks_of_others, .formula = "n * bytes * (n-1)/n / latency"});
}

SCALEMARK_BENCHMARK("micro/scatter", scatter)
    .doc("A block of the root's buffer for each rank; bytes is the block")
    .ranks(1, 2)
    .with(collective_axes(Routine::scatter));

}  // namespace
}  // namespace scalemark::micro
