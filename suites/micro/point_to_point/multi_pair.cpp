// SPDX-License-Identifier: Apache-2.0
// Benchmark micro/multi_pair: bandwidth and message rate of many pairs at once. Rank i of the first
// half sends windows of messages to rank i of the second half.
#include "suites/micro/point_to_point/message_pairs.hpp"
#include "suites/micro/point_to_point/message_windows.hpp"

namespace scalemark::micro {
namespace {

void multi_pair(Case& c) {
  require_even_ranks(c);
  Messages messages = window_messages(c);
  state_window_work(c, "adjacent", /*directions=*/1);
  measure_windows(c, messages, one_way);
}

SCALEMARK_BENCHMARK("micro/multi_pair", multi_pair)
    .doc("Bandwidth and message rate of pairs of ranks, all at once")
    .ranks(2)
    .with(window_axes);

}  // namespace
}  // namespace scalemark::micro
