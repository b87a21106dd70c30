// SPDX-License-Identifier: Apache-2.0
// A collective routine as a benchmark: axes, data and time.
#pragma once

#include <functional>

#include "common/collective/call.hpp"
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"

namespace scalemark::micro {

/// How a routine's bus bandwidth is computed (nccl-tests, doc/PERFORMANCE.md).
struct CollectiveWork {
  /// Fraction of the total bytes that the busiest link must carry, for n ranks; null = not known.
  double (*bus_factor)(int n) = nullptr;
  const char* formula = "";
};

/// Bus factor where a link carries the blocks of all ranks but its own: (n - 1) / n.
double blocks_of_others(int n);
/// Bus factor where a link carries the whole buffer once: 1; 0 for one rank.
double whole_buffer(int n);

/// Ranks of the smallest grid in which a rank has neighbors.
inline constexpr int kFewestInAGrid = 3;

/// Measures `routine` for the case's parameters: one call per barrier, or pipelined. Verifies
/// several rounds. Records the facts requested_bytes (if `bytes` is not a multiple of the element
/// size), total_bytes (S in nccl-tests) and emulated.
void measure_collective(Case& c, collective::Routine routine, const CollectiveWork& work);

/// Declares the axes backend, memory, bytes, dtype, op, root, in_place, call, timing, graphs,
/// buffers, aggregate, registration, device_api and unalign, as far as they apply to the routine,
/// and its memory requirements.
std::function<void(Benchmark&)> collective_axes(collective::Routine routine);

}  // namespace scalemark::micro
