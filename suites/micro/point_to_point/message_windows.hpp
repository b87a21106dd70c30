// SPDX-License-Identifier: Apache-2.0
// Windows of messages in flight between two ranks.
#pragma once

#include <functional>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "suites/micro/point_to_point/point_to_point.hpp"

namespace scalemark::micro {

/// Declares the message axes, window (64, as in OSU) and buffers (1: all messages of a window share
/// one, as in OSU).
void window_axes(Benchmark& benchmark);

/// Collective. The messages for the case's parameters.
Messages window_messages(Case& c);

/// States bytes and messages per window: for the pairs across the halves of the ranks at once, or
/// for one pair, where axis `pairs` runs them in rounds.
void state_window_work(Case& c, const std::string& pairs, int directions);

/// The first rank sends a window; the second replies with one byte when all of it has arrived.
std::function<void()> one_way(Messages& messages, int peer, bool first);
/// Both ranks send a window and receive one.
std::function<void()> both_ways(Messages& messages, int peer, bool first);

/// Runs all pairs across the halves of the ranks at once. Records metric time (of the sender for
/// one pair, of the slowest rank for more), and the rates bandwidth (primary) and message_rate.
void measure_windows(Case& c, Messages& messages,
                     std::function<void()> (*work)(Messages&, int, bool));

}  // namespace scalemark::micro
