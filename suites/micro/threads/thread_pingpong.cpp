// SPDX-License-Identifier: Apache-2.0
// Benchmark micro/thread_pingpong: several threads of two ranks exchange messages at once (IMB-MT's
// PingPongMT).
#include "suites/micro/data/sizes.hpp"
#include "suites/micro/threads/thread_messages.hpp"

namespace scalemark::micro {
namespace {

using Direction = collective::Transfer::Direction;

void thread_pingpong(Case& c) {
  const auto bytes = static_cast<std::size_t>(bytes_of(c.result().params));
  const int peer = 1 - c.rank();
  std::vector<MessageStep> steps = {{{Direction::send, peer}}, {{Direction::receive, peer}}};
  if (c.rank() == 1) std::swap(steps[0], steps[1]);
  ThreadedRank rank(c, [&](int) { return std::make_unique<ThreadMessages>(c, bytes, steps); });
  rank.verify("every byte of each thread's last message against its partner's", bytes);
  c.work({.bytes = static_cast<double>(bytes) * rank.threads(),
          .formula = "threads * bytes / latency",
          .carrier = Carrier::between_ranks});
  c.measure_timed([&](std::uint64_t times) { return rank.run(times); },
                  {.metric = "latency",
                   .rank_reduce = RankReduce::root,
                   .inner = 0,
                   .inner_time = 200e-6,
                   .scale = 0.5,
                   .warmup = 10});
  c.record_rate("message_rate", "{message}/s", "latency", rank.threads(), "threads / latency");
}

SCALEMARK_BENCHMARK("micro/thread_pingpong", thread_pingpong)
    .doc("Latency of messages between two ranks while several threads of each send at once")
    .two_ranks()
    .with(thread_message_axes(2));

}  // namespace
}  // namespace scalemark::micro
