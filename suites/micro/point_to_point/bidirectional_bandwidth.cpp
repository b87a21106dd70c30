// SPDX-License-Identifier: Apache-2.0
// Benchmark micro/bidirectional_bandwidth: two ranks send windows of messages to each other at
// once; both directions count. With more ranks: all pairs at once, or one after the other.
#include "suites/micro/point_to_point/message_pairs.hpp"
#include "suites/micro/point_to_point/message_windows.hpp"
#include "suites/micro/point_to_point/rank_pairs.hpp"

namespace scalemark::micro {
namespace {

void bidirectional_bandwidth(Case& c) {
  Messages messages = window_messages(c);
  state_window_work(c, c.text("pairs"), /*directions=*/2);
  if (is_in_rounds(c)) return measure_pairs_in_rounds(c, messages, {.metric = "time"}, both_ways);
  require_even_ranks(c);
  measure_windows(c, messages, both_ways);
}

SCALEMARK_BENCHMARK("micro/bidirectional_bandwidth", bidirectional_bandwidth)
    .doc("Bandwidth of windows of messages both ways between two ranks")
    .with(pair_axes)
    .with(window_axes);

}  // namespace
}  // namespace scalemark::micro
