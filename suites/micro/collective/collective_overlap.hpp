// SPDX-License-Identifier: Apache-2.0
// How much of a nonblocking operation passes while its rank computes.
#pragma once

#include <functional>

#include "common/collective/operation.hpp"
#include "common/core/case.hpp"

namespace scalemark::micro {

/// Metrics: latency (start and wait, nothing between), overall_time (start, computing that takes as
/// long as the latency, wait), compute_time (the computing in it), overlap_ratio = 1 - (overall -
/// compute) / latency, no less than 0 (OSU's definition, with this rank's median latency; 1: the
/// communication costs no time of its own). Axis `probes`: how often the computing asks whether the
/// operation is done, which moves it on in libraries without a progress thread.
void measure_overlap(Case& c, collective::Operation& operation);

/// What axis `compute` says: so many microseconds of arithmetic before each operation, the
/// same on all ranks, as long as it takes the fastest; nothing at 0. A rank that takes longer
/// enters late.
std::function<void()> computing_before(Case& c);

}  // namespace scalemark::micro
