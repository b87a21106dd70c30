// SPDX-License-Identifier: Apache-2.0
// Measures one-sided accesses: rank 0 accesses a window of rank 1.
#pragma once

#include <functional>

#include "common/collective/one_sided.hpp"
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"

namespace scalemark::micro {

/// Rank that accesses, and rank whose memory is accessed.
inline constexpr int kOrigin = 0, kTarget = 1;

/// Declares the common axes backend, span, bytes and sync, two ranks, and the memory requirement.
void one_sided_axes(Benchmark& benchmark);
/// The same for one element: `bytes` becomes that of axis dtype, which the benchmark declares.
void atomic_axes(Benchmark& benchmark);
/// Declares axis `memory` of window and origin: host, or device if MPI supports it.
void one_sided_memory_axis(Benchmark& benchmark);

/// Collective. Times one access and its completion on rank 0. A passive rank 1 waits for the next
/// sample in the barrier, inside MPI, so that a library that needs the target for progress gets it.
/// The axes dtype and op apply to kinds that reduce. Not for compare_and_swap.
void measure_one_sided(Case& c, collective::Access::Kind kind);

}  // namespace scalemark::micro
