// SPDX-License-Identifier: Apache-2.0
// Overlap of a nonblocking operation with computation on its rank.
#pragma once

#include <functional>

#include "common/collective/operation.hpp"
#include "common/core/case.hpp"

namespace scalemark::micro {

/// Metrics: latency (start and wait, nothing between); overall_time (start, computation as long as
/// the latency, wait); compute_time (the computation within it); overlap_ratio = 1 - (overall -
/// compute) / latency, at least 0. The ratio is OSU's definition with this rank's median latency;
/// at 1 communication is hidden completely. Axis `probes`: how often the computation tests for
/// completion, which drives progress in libraries without a progress thread. Times are multiplied
/// by `scale`: 1 / n for n calls in one operation. `before` runs ahead of each operation, untimed.
void measure_overlap(
    Case& c, collective::Operation& operation, double scale = 1,
    const std::function<void()>& before = [] {});

/// Returns the arithmetic of axis `compute`, to run before each operation. It takes `compute`
/// microseconds on the fastest rank; empty at 0. All ranks do the same work, so slower ranks enter
/// late.
std::function<void()> computing_before(Case& c);

}  // namespace scalemark::micro
