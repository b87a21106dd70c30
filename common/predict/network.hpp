// SPDX-License-Identifier: Apache-2.0
// A tree of hosts and switches whose links messages share.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace scalemark::predict {

/// A host or a switch, and the link to the switch above it. The link carries `bandwidth` up and as
/// much down at the same time.
struct Node {
  std::string name;
  std::string above;                                           ///< a switch; empty: the top
  double bandwidth = std::numeric_limits<double>::infinity();  ///< By/s of the link
  double latency = 0;                                          ///< s of the link
  int ranks = 0;                                               ///< on this host; 0: a switch
};

/// One direction of a link: 2 * node for the way up, 2 * node + 1 for the way down.
using Lane = std::size_t;

class Network {
 public:
  /// Throws UsageError for names that occur twice or are unknown, for hosts above others, for a
  /// circle, for more than one top, and for values that are not positive. `origin` is named in
  /// messages.
  Network(std::vector<Node> nodes, const std::string& origin);

  /// Gives the hosts their ranks in turn, one each, instead of all of a host one after the other.
  void distribute_cyclically();

  /// Ranks on all hosts; those of a host follow each other, hosts in the order given.
  int ranks() const { return static_cast<int>(host_of_.size()); }
  std::size_t lanes() const { return 2 * nodes_.size(); }
  double bandwidth(Lane lane) const { return nodes_[lane / 2].bandwidth; }

  struct Route {
    std::vector<Lane> lanes;
    double latency = 0;  ///< s
  };
  /// From one rank to another; empty between ranks of a host.
  Route route(int from, int to) const;

  /// The name of the switch above each host, by the host's name.
  std::map<std::string, std::string> leaves() const;

 private:
  std::vector<Node> nodes_;
  std::vector<int> above_;  ///< index of the switch above; -1: none
  std::vector<int> depth_;
  std::vector<int> host_of_;  ///< of each rank
};

}  // namespace scalemark::predict
