// SPDX-License-Identifier: Apache-2.0
// The one way in which one-sided accesses are measured: rank 0 reaches a window of rank 1.
#pragma once

#include <functional>

#include "common/collective/one_sided.hpp"
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"

namespace scalemark::micro {

/// Declares the axes that all have: backend, span, bytes, sync; two ranks; the memory.
void one_sided_axes(Benchmark& benchmark);
/// Declares `memory`, of the window and of its origin: host, or device where MPI takes that.
void one_sided_memory_axis(Benchmark& benchmark);

/// Collective. Times one access and its completion on rank 0. Where rank 1 is passive it waits for
/// the next sample in the barrier, inside MPI, so that a library which wants the target's help gets
/// it. Axes dtype and op are those of an accumulate.
void measure_one_sided(Case& c, collective::Access::Kind kind);

}  // namespace scalemark::micro
