// SPDX-License-Identifier: Apache-2.0
// Windows of messages: many in flight between two ranks.
#pragma once

#include <functional>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "suites/micro/point_to_point/point_to_point.hpp"

namespace scalemark::micro {

/// Axes of messages, and window (64, as OSU's) and buffers (1: all messages of a window share one,
/// as OSU's do).
void window_axes(Benchmark& benchmark);

/// Collective. The messages of the case's point.
Messages window_messages(Case& c);

/// States bytes and messages of a window on the pairs across the halves of the ranks at once, or,
/// of `all` pairs, on one.
void state_window_work(Case& c, bool all, int directions);

/// The first sends a window, the second says in a byte that all of it has arrived.
std::function<void()> one_way(Messages& messages, int peer, bool first);
/// Both send a window and receive one.
std::function<void()> both_ways(Messages& messages, int peer, bool first);

/// All pairs across the halves of the ranks at once: metric time, of the sender where there is one
/// pair, of the slowest where there are more; rates bandwidth (primary) and message_rate.
void measure_windows(Case& c, Messages& messages,
                     std::function<void()> (*work)(Messages&, int, bool));

}  // namespace scalemark::micro
