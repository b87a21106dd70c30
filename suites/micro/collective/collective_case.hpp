// SPDX-License-Identifier: Apache-2.0
// A collective routine as a benchmark: its axes, its data, its time.
#pragma once

#include <functional>

#include "common/collective/call.hpp"
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"

namespace scalemark::micro {

/// What a routine's bandwidth is derived from (nccl-tests, doc/PERFORMANCE.md).
struct CollectiveWork {
  /// The part of the total bytes that the busiest link must carry, for n ranks.
  double (*bus_factor)(int n) = nullptr;
  const char* formula = "";
};

/// Measures `routine` at the case's point: call by call after a barrier, or pipelined; verified in
/// several rounds. Adds the facts requested_bytes (where elements do not divide the bytes),
/// total_bytes (nccl-tests' S) and emulated.
void measure_collective(Case& c, collective::Routine routine, const CollectiveWork& work);

/// Declares backend, memory, bytes, dtype, op, root, in_place, call, timing, graphs and buffers, as
/// far as the routine has them; and what a point needs.
std::function<void(Benchmark&)> collective_axes(collective::Routine routine);

}  // namespace scalemark::micro
