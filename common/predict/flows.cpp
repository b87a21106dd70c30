// SPDX-License-Identifier: Apache-2.0
// Event by event: messages begin to flow and arrive, and each time the links are shared anew.
#include "common/predict/flows.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/predict/message_simulator.hpp"
#include "common/predict/shared_links.hpp"

namespace scalemark::predict {
namespace {

constexpr double kMaxFlows = 4e7, kNever = std::numeric_limits<double>::infinity();

struct Message {
  int to = 0, from = 0, round = 0;
  double bytes = 0;
};

/// A rank in its present round; s.
struct FlowHost {
  int round = -1;
  double entered = 0;
  double sent = 0, received = 0;  ///< kNever: not yet
  std::map<int, double> arrived;  ///< messages of rounds that it has not finished, by round
};

class FlowSimulation {
 public:
  FlowSimulation(const Schedule& schedule, const LogGops& costs, const Network& network)
      : schedule_(schedule),
        network_(network),
        overhead_(static_cast<double>(costs.overhead) * 1e-9),
        latency_(static_cast<double>(costs.latency) * 1e-9),
        fastest_(costs.gap_per_byte == 0 ? kNever : 1e9 / static_cast<double>(costs.gap_per_byte)),
        hosts_(static_cast<std::size_t>(schedule.ranks)),
        links_(network, fastest_) {}

  std::vector<double> run() {
    for (int rank = 0; rank < schedule_.ranks; ++rank) enter(rank, 0, 0);
    while (true) {
      now_ = std::min(begins_.empty() ? kNever : begins_.front().time, links_.next_end());
      if (now_ == kNever) break;
      while (const auto ended = links_.take_ended(now_)) arrive(flowing_[*ended]);
      while (!begins_.empty() && begins_.front().time <= now_ * (1 + kSameTime)) begin();
      links_.share_rates(now_);
    }
    std::vector<double> finish;
    for (const FlowHost& host : hosts_) {
      // Flows that take forever leave their hosts in an earlier round.
      finish.push_back(host.round == schedule_.rounds ? host.entered * 1e9 : kNever);
      check_time(finish.back());
    }
    return finish;
  }

 private:
  /// A message on its way to the first lane.
  struct Begin {
    double time;
    Message message;
    std::vector<Lane> lanes;
    bool operator<(const Begin& other) const {  // of a heap, the earliest in front
      return std::tie(time, message.from, message.round) >
             std::tie(other.time, other.message.from, other.message.round);
    }
  };

  void enter(int rank, int round, double time) {
    FlowHost& host = hosts_[static_cast<std::size_t>(rank)];
    host.round = round;
    host.entered = time;
    if (round == schedule_.rounds) return;
    const Exchange exchange = schedule_.exchange(round, rank);
    host.sent = exchange.to < 0 ? time : kNever;
    host.received = exchange.from < 0 ? time : kNever;
    if (exchange.to >= 0) {
      Network::Route route = network_.route(rank, exchange.to);
      const double delay = overhead_ + (route.lanes.empty() ? latency_ : route.latency);
      begins_.push_back({time + delay,
                         {.to = exchange.to,
                          .from = rank,
                          .round = round,
                          .bytes = static_cast<double>(exchange.sent)},
                         std::move(route.lanes)});
      std::ranges::push_heap(begins_, std::less());
    }
    if (const auto found = host.arrived.find(round); found != host.arrived.end()) {
      host.received = std::max(time, found->second) + overhead_;
      host.arrived.erase(found);
    }
    leave_if_done(rank);
  }

  void leave_if_done(int rank) {
    const FlowHost& host = hosts_[static_cast<std::size_t>(rank)];
    const double done = std::max(host.sent, host.received);
    if (done < kNever) enter(rank, host.round + 1, done);
  }

  /// The next message begins to flow.
  void begin() {
    std::ranges::pop_heap(begins_, std::less());
    Begin next = std::move(begins_.back());
    begins_.pop_back();
    if (next.message.bytes <= 0 || (next.lanes.empty() && fastest_ == kNever))
      return arrive(next.message);
    const std::size_t number = links_.add(std::move(next.lanes), next.message.bytes);
    flowing_.resize(std::max(flowing_.size(), number + 1));
    flowing_[number] = next.message;
  }

  void arrive(const Message message) {
    FlowHost& sender = hosts_[static_cast<std::size_t>(message.from)];
    sender.sent = now_;
    FlowHost& receiver = hosts_[static_cast<std::size_t>(message.to)];
    if (receiver.round == message.round)
      receiver.received = std::max(now_, receiver.entered) + overhead_;
    else
      receiver.arrived[message.round] = now_;
    leave_if_done(message.from);
    if (message.to != message.from && receiver.round == message.round) leave_if_done(message.to);
  }

  const Schedule& schedule_;
  const Network& network_;
  double overhead_, latency_, fastest_;
  double now_ = 0;
  std::vector<FlowHost> hosts_;
  SharedLinks links_;
  std::vector<Message> flowing_;  ///< by the number of their flow
  std::vector<Begin> begins_;     ///< a heap
};

}  // namespace

std::vector<double> simulate(const Schedule& schedule, const LogGops& costs,
                             const Network& network) {
  check_size(schedule, kMaxFlows);
  if (network.ranks() < schedule.ranks)
    throw UsageError(fmt::format("--ranks is {}, but the topology has hosts for {}", schedule.ranks,
                                 network.ranks()));
  return FlowSimulation(schedule, costs, network).run();
}

}  // namespace scalemark::predict
