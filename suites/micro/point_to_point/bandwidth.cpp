// SPDX-License-Identifier: Apache-2.0
// Benchmark micro/bandwidth: a window of messages in flight between two ranks, with a reply after
// all have arrived. With more ranks: all pairs at once, or one after the other.
#include "suites/micro/point_to_point/message_pairs.hpp"
#include "suites/micro/point_to_point/message_windows.hpp"
#include "suites/micro/point_to_point/rank_pairs.hpp"

namespace scalemark::micro {
namespace {

void bandwidth(Case& c) {
  Messages messages = window_messages(c);
  state_window_work(c, c.text("pairs"), /*directions=*/1);
  if (is_in_rounds(c))
    return measure_pairs_in_rounds(c, messages, {.metric = "time", .first_receives = false},
                                   one_way);
  require_even_ranks(c);
  measure_windows(c, messages, one_way);
}

SCALEMARK_BENCHMARK("micro/bandwidth", bandwidth)
    .doc("Bandwidth of a window of messages between two ranks, with reply")
    .with(pair_axes)
    .with(window_axes);

}  // namespace
}  // namespace scalemark::micro
