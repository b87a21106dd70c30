// SPDX-License-Identifier: Apache-2.0
// Benchmark micro/thread_bandwidth: several threads of each rank have many messages under way
// (IMB-MT's UniBandMT and BiBandMT).
#include "suites/micro/data/message_work.hpp"
#include "suites/micro/data/sizes.hpp"
#include "suites/micro/point_to_point/message_pairs.hpp"
#include "suites/micro/point_to_point/rank_pairs.hpp"
#include "suites/micro/threads/thread_messages.hpp"

namespace scalemark::micro {
namespace {

using Direction = collective::Transfer::Direction;

/// The first rank of a pair sends a window, and the other replies; or both send one. As in IMB-MT,
/// there is a reply in both cases.
std::vector<MessageStep> window_steps(const Case& c, bool both_ways) {
  const bool first = is_first_half(c.rank(), c.size());
  const int peer = partner_across(c.rank(), c.size());
  const int window = static_cast<int>(c.integer("window"));
  MessageStep messages;
  if (both_ways || !first) messages.push_back({Direction::receive, peer, window});
  if (both_ways || first) messages.push_back({Direction::send, peer, window});
  return {messages, {{first ? Direction::receive : Direction::send, peer, 1, /*is_reply=*/true}}};
}

void thread_bandwidth(Case& c) {
  require_even_ranks(c);
  const auto bytes = static_cast<std::size_t>(bytes_of(c.result().params));
  const bool both_ways = c.flag("bidirectional");
  const std::vector<MessageStep> steps = window_steps(c, both_ways);
  ThreadedRank rank(c, [&](int) { return std::make_unique<ThreadMessages>(c, bytes, steps); });
  rank.verify("every byte of each thread's last messages against its partner's", bytes);
  const double of_pair = static_cast<double>(c.integer("window")) * rank.threads();
  const double messages = of_pair * c.size() / 2 * (both_ways ? 2 : 1);
  std::vector<Flow> flows;
  for (int from = 0; from < c.size(); ++from)
    if (both_ways || is_first_half(from, c.size()))
      flows.push_back({from, partner_across(from, c.size()), of_pair * static_cast<double>(bytes)});
  c.work(work_of(std::move(flows), messages, "threads * window * bytes of all pairs / time"));
  c.measure_timed([&](std::uint64_t times) { return rank.run(times); },
                  {.metric = "time",
                   .rank_reduce = c.size() == 2 ? RankReduce::root : RankReduce::max,
                   .inner = 0,
                   .inner_time = 200e-6,
                   .warmup = 10});
  set_primary_rate(c);
}

SCALEMARK_BENCHMARK("micro/thread_bandwidth", thread_bandwidth)
    .doc("Bandwidth between pairs of ranks while several threads of each send windows of messages")
    .two_ranks_or_more()
    .axis_boolean("bidirectional", {.doc = "Both ranks of a pair send"})
    .with(thread_message_axes(2))
    .axis_integer("window", {.minimum = 1, .maximum = 4096, .defaults = "64"});

}  // namespace
}  // namespace scalemark::micro
