// SPDX-License-Identifier: Apache-2.0
// Benchmark micro/pingpong: latency of one message between two ranks, half the round trip. With
// more ranks: all pairs at once, or one after the other.
#include <algorithm>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "suites/micro/point_to_point/message_pairs.hpp"
#include "suites/micro/point_to_point/point_to_point.hpp"
#include "suites/micro/point_to_point/rank_pairs.hpp"
#include "suites/micro/point_to_point/sleeping_children.hpp"

namespace scalemark::micro {
namespace {

/// Sends a message there and back.
std::function<void()> round_trip(Messages& messages, int peer, bool first) {
  return [send = std::shared_ptr(messages.send(peer)),
          receive = std::shared_ptr(messages.receive(peer)), first] {
    if (first) send->run();
    receive->run();
    if (!first) send->run();
  };
}

/// Bytes per latency on a link. A message crosses the link in one direction, then the other. If
/// several pairs share a link, the latency is at least half the time that the link needs for one
/// round trip of all.
void state_work(Case& c, double bytes, const RoundsOfPairs& rounds) {
  c.work({.bytes = bytes,
          .formula = "bytes / latency",
          .carrier = Carrier::between_ranks,
          .link_bytes = [=](Ends ends) {
            const double both = busiest_round(rounds, bytes, bytes, ends);
            return both > 0 ? std::max(bytes, both / 2) : 0;
          }});
}

void pingpong(Case& c) {
  // Before the buffers are there, as in osu_latency_mp.
  const SleepingChildren children(static_cast<int>(c.integer("forked")));
  const auto bytes = static_cast<std::size_t>(c.integer("bytes"));
  Messages messages(c, bytes, 1, 1);
  state_work(c, static_cast<double>(bytes),
             working_pairs(c.text("pairs"), places_of(c, c.text("pairs"))));
  if (is_in_rounds(c))
    return measure_pairs_in_rounds(c, messages, {.metric = "latency", .scale = 0.5}, round_trip);
  require_even_ranks(c);
  const int peer = partner_across(c.rank(), c.size());
  messages.verify_from(peer);
  const bool two = c.size() == 2;
  c.measure(round_trip(messages, peer, is_first_half(c.rank(), c.size())),
            {.metric = "latency",
             .rank_reduce = two ? RankReduce::root : RankReduce::max,
             .inner = 0,
             .scale = 0.5,
             .warmup = 10});
}

SCALEMARK_BENCHMARK("micro/pingpong", pingpong)
    .doc("Latency of a message between two ranks: half the round trip")
    .with(pair_axes)
    .axis_integer("forked", {.minimum = 0,
                             .maximum = 256,
                             .defaults = "0",
                             .implied = 0,
                             .doc = "Child processes of each rank, which sleep meanwhile and share "
                                    "its memory until it writes",
                             .unit = "{process}"})
    .with(message_axes("8:4M:*2", "blocking"));

}  // namespace
}  // namespace scalemark::micro
