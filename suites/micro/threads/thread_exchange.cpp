// SPDX-License-Identifier: Apache-2.0
// Benchmark micro/thread_exchange: the threads of all ranks exchange messages with the next ranks
// at once (IMB-MT's SendRecvMT, with two ranks PingPingMT, and ExchangeMT).
#include "suites/micro/data/message_work.hpp"
#include "suites/micro/data/sizes.hpp"
#include "suites/micro/threads/thread_messages.hpp"

namespace scalemark::micro {
namespace {

using Direction = collective::Transfer::Direction;

/// To the next rank and from the one before, or both ways with both.
MessageStep exchange_of(const std::string& pattern, int rank, int ranks) {
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  MessageStep step = {{Direction::receive, before}, {Direction::send, next}};
  if (pattern == "neighbors") {
    step.push_back({Direction::receive, next});
    step.push_back({Direction::send, before});
  }
  return step;
}

void thread_exchange(Case& c) {
  const auto bytes = static_cast<std::size_t>(bytes_of(c.result().params));
  const MessageStep step = exchange_of(c.text("pattern"), c.rank(), c.size());
  ThreadedRank rank(c, [&](int) {
    return std::make_unique<ThreadMessages>(c, bytes, std::vector<MessageStep>{step});
  });
  rank.verify("every byte of each thread's last messages against their senders'", bytes);
  const double messages = static_cast<double>(step.size()) / 2 * rank.threads() * c.size();
  std::vector<Flow> flows;
  for (int from = 0; from < c.size(); ++from)
    for (const ThreadMessage& one : exchange_of(c.text("pattern"), from, c.size()))
      if (one.direction == Direction::send)
        flows.push_back({from, one.peer, static_cast<double>(bytes) * rank.threads()});
  c.work(work_of(std::move(flows), messages, "messages of all ranks * bytes / latency"));
  c.measure_timed([&](std::uint64_t times) { return rank.run(times); },
                  {.metric = "latency", .inner = 0, .inner_time = 200e-6, .warmup = 10});
}

SCALEMARK_BENCHMARK("micro/thread_exchange", thread_exchange)
    .doc("Messages between neighboring ranks while several threads of each send at once")
    .ranks(2)
    .axis("pattern", {.values = {"ring", "neighbors"},
                      .doc = "To the next rank and from the one before, or both ways with both"})
    .with(thread_message_axes(3));

}  // namespace
}  // namespace scalemark::micro
