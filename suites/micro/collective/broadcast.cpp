// SPDX-License-Identifier: Apache-2.0
// Broadcast: time until every rank holds the root's buffer.
#include "suites/micro/collective/collective_case.hpp"

namespace scalemark::micro {
namespace {

using collective::Routine;

/// The best algorithm sends the buffer once from the root (nccl-tests, doc/PERFORMANCE.md).
void broadcast(Case& c) {
  measure_collective(c, Routine::broadcast,
                     {.bus_factor = whole_buffer, .formula = "bytes / latency"});
}

SCALEMARK_BENCHMARK("micro/broadcast", broadcast)
    .doc("The root's buffer on every rank")
    .ranks(1, 2)
    .with(collective_axes(Routine::broadcast));

}  // namespace
}  // namespace scalemark::micro
