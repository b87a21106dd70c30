// SPDX-License-Identifier: Apache-2.0
// Event by event: flows begin and end, and each time all rates are shared anew.
#include "common/predict/flows.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/predict/message_simulator.hpp"

namespace scalemark::predict {
namespace {

constexpr double kMaxFlows = 2e6, kNever = std::numeric_limits<double>::infinity();
/// Times and rates closer than this, relative, are the same: rounding keeps apart what belongs
/// together.
constexpr double kSame = 1e-12, kSameRate = 1e-9;

struct Flow {
  int to = 0, from = 0, round = 0;
  double left = 0, rate = 0;  ///< bytes, By/s
  std::vector<Lane> lanes;
};

/// Gives each flow its max-min fair rate, at most `fastest` (progressive filling; Bertsekas and
/// Gallager, "Data Networks", 6.5.2).
void share_rates(std::vector<Flow>& flows, const Network& network, double fastest) {
  std::vector<double> free(network.lanes());
  std::vector<int> users(network.lanes(), 0);
  for (Lane lane = 0; lane < free.size(); ++lane) free[lane] = network.bandwidth(lane);
  std::vector<Flow*> open;
  for (Flow& flow : flows) {
    open.push_back(&flow);
    for (const Lane lane : flow.lanes) ++users[lane];
  }
  while (!open.empty()) {
    double least = fastest;
    for (Lane lane = 0; lane < free.size(); ++lane) {
      if (users[lane] > 0) least = std::min(least, free[lane] / users[lane]);
    }
    const auto is_full = [&](Lane lane) {
      return free[lane] / users[lane] <= least * (1 + kSameRate);
    };
    std::vector<bool> full(free.size(), false);
    for (Lane lane = 0; lane < free.size(); ++lane) full[lane] = users[lane] > 0 && is_full(lane);
    const auto fixed = [&](Flow* flow) {
      const bool stops = least >= fastest ||
                         std::ranges::any_of(flow->lanes, [&](Lane lane) { return full[lane]; });
      if (!stops) return false;
      flow->rate = least;
      for (const Lane lane : flow->lanes) {
        free[lane] = std::max(0.0, free[lane] - least);
        --users[lane];
      }
      return true;
    };
    std::erase_if(open, fixed);
  }
}

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
        hosts_(static_cast<std::size_t>(schedule.ranks)) {}

  std::vector<double> run() {
    for (int rank = 0; rank < schedule_.ranks; ++rank) enter(rank, 0, 0);
    while (!begins_.empty() || !flows_.empty()) {
      const double next = std::min(begins_.empty() ? kNever : begins_.top().time, next_end());
      advance(next);
      const double same = next * (1 + kSame);
      bool changed = end_flows();
      while (!begins_.empty() && begins_.top().time <= same) {
        const Flow flow = begins_.top().flow;
        begins_.pop();
        begin(flow);
        changed = true;
      }
      if (changed) share_rates(flows_, network_, fastest_);
    }
    std::vector<double> finish;
    for (const FlowHost& host : hosts_) finish.push_back(host.entered * 1e9);
    return finish;
  }

 private:
  struct Begin {
    double time;
    Flow flow;
    bool operator<(const Begin& other) const {  // the earliest on top
      return std::tie(time, flow.from, flow.round) >
             std::tie(other.time, other.flow.from, other.flow.round);
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
      begins_.push({time + delay,
                    {.to = exchange.to,
                     .from = rank,
                     .round = round,
                     .left = static_cast<double>(exchange.sent),
                     .lanes = std::move(route.lanes)}});
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

  void begin(const Flow& flow) {
    if (flow.left <= 0 || (flow.lanes.empty() && fastest_ == kNever))
      arrive(flow);
    else
      flows_.push_back(flow);
  }

  double next_end() const {
    double next = kNever;
    for (const Flow& flow : flows_) next = std::min(next, now_ + flow.left / flow.rate);
    return next;
  }

  void advance(double time) {
    for (Flow& flow : flows_) flow.left -= flow.rate * (time - now_);
    now_ = time;
  }

  /// Removes the flows that are through; whether there were any.
  bool end_flows() {
    const auto first = std::partition(flows_.begin(), flows_.end(), [&](const Flow& flow) {
      return flow.left > flow.rate * now_ * kSame + 1e-9;
    });
    const std::vector<Flow> ended(first, flows_.end());
    flows_.erase(first, flows_.end());
    for (const Flow& flow : ended) arrive(flow);
    return !ended.empty();
  }

  void arrive(const Flow& flow) {
    FlowHost& sender = hosts_[static_cast<std::size_t>(flow.from)];
    sender.sent = now_;
    FlowHost& receiver = hosts_[static_cast<std::size_t>(flow.to)];
    if (receiver.round == flow.round)
      receiver.received = std::max(now_, receiver.entered) + overhead_;
    else
      receiver.arrived[flow.round] = now_;
    leave_if_done(flow.from);
    if (flow.to != flow.from && receiver.round == flow.round) leave_if_done(flow.to);
  }

  const Schedule& schedule_;
  const Network& network_;
  double overhead_, latency_, fastest_;
  double now_ = 0;
  std::vector<FlowHost> hosts_;
  std::vector<Flow> flows_;
  std::priority_queue<Begin> begins_;
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
