// SPDX-License-Identifier: Apache-2.0
// One-sided accesses to a rank that computes, as IMB-RMA's Truly_passive_put.
#pragma once

#include <functional>

#include "common/core/case.hpp"

namespace scalemark::micro {

/// Collective. In each sample rank 0 runs `access` on its own twice: while rank 1 waits in MPI
/// (metric waiting_latency), and while it computes without a call of MPI for twice as long (metric
/// latency). A library that needs the target's calls for progress makes the second as long as the
/// computation (metric latency_slowdown: 2 or more). Fact busy_time: seconds of computation for
/// each access.
void measure_busy_target(Case& c, const std::function<void()>& access);

}  // namespace scalemark::micro
