// SPDX-License-Identifier: Apache-2.0
// Reduce: time until the root holds the reduction of all ranks' buffers.
#include "suites/micro/collective/collective_case.hpp"

namespace scalemark::micro {
namespace {

using collective::Routine;

/// The best algorithm sends the buffer once to the root (nccl-tests, doc/PERFORMANCE.md).
void reduce(Case& c) {
  measure_collective(c, Routine::reduce,
                     {.bus_factor = whole_buffer, .formula = "bytes / latency"});
}

SCALEMARK_BENCHMARK("micro/reduce", reduce)
    .doc("Sum (or another reduction) of all ranks' buffers on the root")
    .ranks(1, 2)
    .with(collective_axes(Routine::reduce));

}  // namespace
}  // namespace scalemark::micro
