// SPDX-License-Identifier: Apache-2.0
// Measures one-sided accesses: rank 0 accesses a window of rank 1.
#pragma once

#include <functional>
#include <string>

#include "common/collective/one_sided.hpp"
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"

namespace scalemark::micro {

/// Rank that accesses, and rank whose memory is accessed.
inline constexpr int kOrigin = 0, kTarget = 1;

/// Declares axes backend, span, sync with its default, and window_creation.
void completion_axes(Benchmark& benchmark, const std::string& usual_sync);
/// Declares the common axes backend, span, bytes, sync and window_creation, two ranks, and the
/// memory of each rank: for the window and at the origin.
void one_sided_axes(Benchmark& benchmark);
/// Declares axis target: whether rank 1 waits or computes. For accesses that may be repeated.
void target_axis(Benchmark& benchmark);
/// The same as one_sided_axes() with axes dtype and op, and room for what is fetched.
void accumulate_axes(Benchmark& benchmark);
/// The same for one element, whose axis dtype the benchmark declares: `bytes` becomes that of it.
void atomic_axes(Benchmark& benchmark);
/// The same for a window of messages (axis `window`, 64 as in OSU), each in memory of its own.
void one_sided_bandwidth_axes(Benchmark& benchmark);
/// The same where both ranks access each other, which only fence and pscw can complete.
void one_sided_bidirectional_axes(Benchmark& benchmark);
/// Declares axis `memory` of window and origin: host, or device if MPI supports it.
void one_sided_memory_axis(Benchmark& benchmark);

/// Collective. The case's window, made as axis window_creation says.
collective::OneSided& window_of(Case& c, std::size_t bytes);
/// Collective. Publishes the window, unless a rank failed.
void publish(Case& c, collective::OneSided& window);

/// Collective. Times one access and its completion on rank 0 (metric latency). A passive rank 1
/// waits for the next sample in the barrier, inside MPI, so that a library that needs the target
/// for progress gets it; with target=computes see measure_busy_target(). The axes dtype and op
/// apply to kinds that reduce. Not for compare_and_swap.
void measure_one_sided(Case& c, collective::Access::Kind kind);
/// Collective. Times a window of accesses that are completed together (metric time), by rank 0, or
/// by both ranks on each other's memory. Records the rates bandwidth (primary) and message_rate.
void measure_one_sided_bandwidth(Case& c, collective::Access::Kind kind, bool both_ways);

}  // namespace scalemark::micro
