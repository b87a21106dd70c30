// SPDX-License-Identifier: Apache-2.0
// Latency of one message between two ranks: half the round trip. On more ranks all pairs at once,
// or one after the other.
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "suites/micro/message_pairs.hpp"
#include "suites/micro/point_to_point.hpp"
#include "suites/micro/rank_pairs.hpp"

namespace scalemark {
namespace {

/// There and back again.
std::function<void()> round_trip(Messages& messages, int peer, bool first) {
  return [send = std::shared_ptr(messages.send(peer)),
          receive = std::shared_ptr(messages.receive(peer)), first] {
    if (first) send->run();
    receive->run();
    if (!first) send->run();
  };
}

void pingpong(Case& c) {
  const auto bytes = static_cast<std::size_t>(c.integer("bytes"));
  Messages messages(c, bytes, 1, 1);
  c.work({.bytes = static_cast<double>(bytes), .formula = "bytes / latency"});
  if (c.text("pairs") == "all") {
    return measure_all_pairs(c, messages, {.metric = "latency", .scale = 0.5}, round_trip);
  }
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
    .with(message_axes("8:4M:*2", "blocking"));

}  // namespace
}  // namespace scalemark
