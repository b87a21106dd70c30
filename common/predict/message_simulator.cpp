// SPDX-License-Identifier: Apache-2.0
// Round by round: what a rank receives in a round was sent in the same round, so that no queue of
// events is needed.
#include "common/predict/message_simulator.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/base/error.hpp"

namespace scalemark::predict {
namespace {

constexpr double kMaxMessages = 2e9, kLongest = 0x1p63;

/// Times of a rank, ns.
struct Host {
  std::uint64_t ready = 0;        ///< its last round is over; the CPU is free
  std::uint64_t can_send = 0;     ///< its interface can send
  std::uint64_t can_receive = 0;  ///< its interface can receive
};

/// A message that a rank has sent in this round.
struct Sent {
  std::uint64_t there = 0;  ///< at the receiver's interface
  std::uint64_t sender_free = 0;
  std::uint64_t bytes = 0;
};

class Simulation {
 public:
  Simulation(const Schedule& schedule, const LogGops& costs)
      : schedule_(schedule),
        costs_(costs),
        hosts_(static_cast<std::size_t>(schedule.ranks)),
        sent_(hosts_.size()),
        exchanges_(hosts_.size()) {}

  std::vector<std::uint64_t> run() {
    for (int round = 0; round < schedule_.rounds; ++round) {
      for (int rank = 0; rank < schedule_.ranks; ++rank) send(round, rank);
      for (std::size_t rank = 0; rank < hosts_.size(); ++rank) receive(rank);
      check_time(bound_ += longest_round());
      for (std::size_t rank = 0; rank < hosts_.size(); ++rank) {
        if (exchanges_[rank].to >= 0)
          hosts_[rank].ready = std::max(hosts_[rank].ready, sent_[rank].sender_free);
      }
    }
    std::vector<std::uint64_t> finish;
    for (const Host& host : hosts_) finish.push_back(host.ready);
    return finish;
  }

 private:
  /// Bytes that cost a gap: all but the first.
  static std::uint64_t gaps(std::uint64_t bytes) { return bytes == 0 ? 0 : bytes - 1; }

  void send(int round, int rank) {
    const auto me = static_cast<std::size_t>(rank);
    const Exchange exchange = schedule_.exchange(round, rank);
    exchanges_[me] = exchange;
    if (exchange.to < 0) return;
    largest_ = std::max(largest_, exchange.sent);
    Host& host = hosts_[me];
    const std::uint64_t start = std::max(host.ready, host.can_send);
    host.can_send = start + costs_.gap + gaps(exchange.sent) * costs_.gap_per_byte;
    const std::uint64_t cpu =
        start + costs_.overhead + gaps(exchange.sent) * costs_.overhead_per_byte;
    sent_[me] = {start + costs_.overhead + costs_.latency, cpu, exchange.sent};
    // The CPU cannot receive before it has sent.
    host.ready = cpu;
  }

  void receive(std::size_t rank) {
    if (exchanges_[rank].from < 0) return;
    Host& host = hosts_[rank];
    Sent& message = sent_[static_cast<std::size_t>(exchanges_[rank].from)];
    const std::uint64_t taken = std::max({message.there, host.ready, host.can_receive});
    host.can_receive = taken + costs_.gap + gaps(message.bytes) * costs_.gap_per_byte;
    host.ready = taken + costs_.overhead +
                 gaps(message.bytes) * std::max(costs_.gap_per_byte, costs_.overhead_per_byte);
    if (message.bytes > costs_.rendezvous)
      message.sender_free = std::max(message.sender_free, taken + costs_.latency);
  }

  /// ns, at least what a round adds to any time: send() and receive() add no cost more than twice.
  double longest_round() const {
    const auto ns = [](std::uint64_t cost) { return static_cast<double>(cost); };
    return 2 * (ns(costs_.overhead) + ns(costs_.latency) + ns(costs_.gap)) +
           2 * ns(largest_) * (ns(costs_.gap_per_byte) + ns(costs_.overhead_per_byte));
  }

  const Schedule& schedule_;
  const LogGops& costs_;
  std::uint64_t largest_ = 0;  ///< bytes, of all messages so far
  double bound_ = 0;           ///< ns, at least the largest time so far
  std::vector<Host> hosts_;
  std::vector<Sent> sent_;           ///< by sender
  std::vector<Exchange> exchanges_;  ///< of this round, by rank
};

}  // namespace

void check_size(const Schedule& schedule, double largest) {
  const double messages = static_cast<double>(schedule.ranks) * schedule.rounds;
  if (messages > largest)
    throw UsageError(fmt::format(
        "--simulate: {} rounds of {} ranks are {:.3g} messages, more than {:.3g}: fewer --ranks, "
        "or an algorithm of fewer rounds",
        schedule.rounds, schedule.ranks, messages, largest));
}

void check_time(double ns) {
  // Written so that NaN is refused.
  if (!(ns < kLongest))
    throw UsageError(
        "messages take longer than 2^63 ns: a bandwidth is too small, or a latency too large");
}

std::vector<std::uint64_t> simulate(const Schedule& schedule, const LogGops& costs) {
  check_size(schedule, kMaxMessages);
  return Simulation(schedule, costs).run();
}

}  // namespace scalemark::predict
