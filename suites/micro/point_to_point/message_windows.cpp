// SPDX-License-Identifier: Apache-2.0
// Windows of messages: axes, operations and measurement.
#include "suites/micro/point_to_point/message_windows.hpp"

#include <memory>

#include "suites/micro/data/message_work.hpp"
#include "suites/micro/point_to_point/rank_pairs.hpp"

namespace scalemark::micro {

void window_axes(Benchmark& benchmark) {
  benchmark.with(message_axes("1:4M:*2", "nonblocking"));
  benchmark.axis_integer("window", {.minimum = 1, .maximum = 4096, .defaults = "64"});
  benchmark.axis_integer("buffers", {.minimum = 1, .maximum = 4096, .defaults = "1", .implied = 1});
}

Messages window_messages(Case& c) {
  return {c, static_cast<std::size_t>(c.integer("bytes")),
          static_cast<std::size_t>(c.integer("window")),
          static_cast<std::size_t>(c.integer("buffers"))};
}

void state_window_work(Case& c, const std::string& pairs, int directions) {
  const double window = static_cast<double>(c.integer("window"));
  const double messages = window * (pairs == "adjacent" ? c.size() / 2 : 1) * directions;
  const auto bytes = static_cast<double>(c.integer("bytes"));
  c.work({.bytes = messages * bytes,
          .messages = messages,
          .formula = "window * bytes / time",
          .carrier = Carrier::between_ranks,
          .link_bytes = [=, rounds = working_pairs(pairs, places_of(c, pairs))](Ends ends) {
            return busiest_round(rounds, window * bytes, directions == 2 ? window * bytes : 0,
                                 ends);
          }});
}

std::function<void()> one_way(Messages& messages, int peer, bool first) {
  if (first) {
    return [window = std::shared_ptr(messages.send(peer)),
            reply = std::shared_ptr(messages.receive_reply(peer))] {
      window->run();
      reply->run();
    };
  }
  return [window = std::shared_ptr(messages.receive(peer)),
          reply = std::shared_ptr(messages.send_reply(peer))] {
    window->run();
    reply->run();
  };
}

std::function<void()> both_ways(Messages& messages, int peer, bool /*first*/) {
  return [window = std::shared_ptr(messages.both(peer, peer))] { window->run(); };
}

void measure_windows(Case& c, Messages& messages,
                     std::function<void()> (*work)(Messages&, int, bool)) {
  const int peer = partner_across(c.rank(), c.size());
  const bool first = is_first_half(c.rank(), c.size());
  messages.verify_from(work == one_way && first ? -1 : peer);
  c.measure(work(messages, peer, first),
            {.metric = "time",
             .rank_reduce = c.size() == 2 ? RankReduce::root : RankReduce::max,
             .inner = 0,
             .inner_time = 200e-6,
             .warmup = 10});
  set_primary_rate(c);
}

}  // namespace scalemark::micro
