// SPDX-License-Identifier: Apache-2.0
// Max-min fair rates of flows that begin and end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "common/predict/network.hpp"

namespace scalemark::predict {

/// Times closer than this, relative, are the same: rounding keeps apart what belongs together.
inline constexpr double kSameTime = 1e-12;

/// Flows on the lanes of a network. At each moment all have max-min fair rates: the flows of the
/// lane that gives each of its flows the least get that rate, the others share what is left. No
/// flow is faster than `fastest`, By/s. A flow that begins or ends changes only the rates of those
/// that share a lane with it, or with one of these; no others are looked at.
class SharedLinks {
 public:
  /// The network must outlive this.
  SharedLinks(const Network& network, double fastest);

  /// Adds a flow of more than 0 bytes; its number. It flows from the next call of share_rates() on.
  std::size_t add(std::vector<Lane> lanes, double bytes);
  /// Shares the lanes anew from `now` on, after flows were added or taken. s.
  void share_rates(double now);
  /// When the next flow ends; infinite if none does.
  double next_end();
  /// Takes a flow that has ended by `time`; none: nothing. Its number is given to later ones.
  std::optional<std::size_t> take_ended(double time);

 private:
  struct Flow {
    std::vector<Lane> lanes;
    double left = 0, rate = 0, since = 0;  ///< bytes at the moment `since`, By/s; 0: it has ended
    std::uint32_t version = 0;             ///< of the rate; counts on when the number is reused
    std::uint64_t seen = 0;                ///< the last pass of collect() that found it
  };
  struct End {
    double time = 0;
    std::size_t flow = 0;
    std::uint32_t version = 0;
    bool operator<(const End& other) const {  // the earliest on top
      return std::pair(time, flow) > std::pair(other.time, other.flow);
    }
  };

  /// Sets flows_here_ and lanes_here_ to what share_rates() looks at.
  void collect();
  void visit_flow(std::size_t flow);
  void visit_lane(Lane lane);
  void set_rate(std::size_t flow, double rate, double now);
  End end_of(std::size_t flow) const;
  void drop_outdated();
  void rebuild_ends();

  const Network& network_;
  double fastest_;
  std::vector<Flow> flows_;
  std::vector<std::size_t> unused_;                ///< numbers
  std::vector<std::vector<std::size_t>> on_lane_;  ///< flows
  std::priority_queue<End> ends_;
  std::vector<std::size_t> added_;  ///< flows since the last sharing
  std::vector<Lane> freed_;         ///< lanes of flows that ended since
  std::uint64_t pass_ = 0;
  std::vector<std::uint64_t> lane_seen_;
  std::vector<std::size_t> flows_here_;
  std::vector<Lane> lanes_here_;
  std::vector<double> free_;  ///< By/s of a lane that no flow has yet
  std::vector<int> users_;    ///< flows of a lane without a rate yet
};

}  // namespace scalemark::predict
