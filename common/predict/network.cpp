// SPDX-License-Identifier: Apache-2.0
// Checks a tree of hosts and switches, and finds routes in it.
#include "common/predict/network.hpp"

#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"

namespace scalemark::predict {
namespace {

[[noreturn]] void refuse(const std::string& origin, const Node& node, const std::string& why) {
  throw UsageError(fmt::format("{}: '{}' {}", origin, text::printable(node.name, 80), why));
}

std::map<std::string, int> places_by_name(const std::vector<Node>& nodes,
                                          const std::string& origin) {
  std::map<std::string, int> places;
  for (const Node& node : nodes) {
    if (!places.emplace(node.name, static_cast<int>(places.size())).second)
      refuse(origin, node, "occurs twice");
  }
  return places;
}

}  // namespace

Network::Network(std::vector<Node> nodes, const std::string& origin) : nodes_(std::move(nodes)) {
  const std::map<std::string, int> places = places_by_name(nodes_, origin);
  int tops = 0;
  for (const Node& node : nodes_) {
    if (node.above.empty()) {
      above_.push_back(-1);
      ++tops;
      continue;
    }
    // Written so that NaN is refused.
    const bool carries = node.bandwidth > 0 && std::isfinite(node.bandwidth);
    if (!carries || !(node.latency >= 0) || !std::isfinite(node.latency))
      refuse(origin, node, "needs a bandwidth above 0 and a latency of at least 0");
    const auto found = places.find(node.above);
    if (found == places.end())
      refuse(origin, node,
             fmt::format("hangs on '{}', which is not there", text::printable(node.above, 80)));
    if (nodes_[static_cast<std::size_t>(found->second)].ranks > 0)
      refuse(origin, node, fmt::format("hangs on host '{}'", text::printable(node.above, 80)));
    above_.push_back(found->second);
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    int depth = 0;
    for (int at = above_[i]; at >= 0; at = above_[static_cast<std::size_t>(at)]) {
      if (++depth > static_cast<int>(nodes_.size()))
        refuse(origin, nodes_[i], "hangs on a circle of switches");
    }
    depth_.push_back(depth);
    host_of_.insert(host_of_.end(), static_cast<std::size_t>(nodes_[i].ranks), static_cast<int>(i));
  }
  if (tops > 1)
    throw UsageError(
        fmt::format("{}: {} switches have none above them; messages need one tree", origin, tops));
}

void Network::distribute_cyclically() {
  std::vector<int> hosts;  // that have a rank left for this turn
  for (std::size_t i = 0; i < nodes_.size(); ++i) hosts.push_back(static_cast<int>(i));
  host_of_.clear();
  for (int turn = 0; !hosts.empty(); ++turn) {
    std::erase_if(hosts,
                  [&](int host) { return nodes_[static_cast<std::size_t>(host)].ranks <= turn; });
    host_of_.insert(host_of_.end(), hosts.begin(), hosts.end());
  }
}

Network::Route Network::route(int from, int to) const {
  Route route;
  std::vector<Lane> down;
  auto a = static_cast<std::size_t>(host_of_.at(static_cast<std::size_t>(from))),
       b = static_cast<std::size_t>(host_of_.at(static_cast<std::size_t>(to)));
  const auto climb = [&](std::size_t& node, std::vector<Lane>& lanes, Lane lane) {
    lanes.push_back(lane);
    route.latency += nodes_[node].latency;
    node = static_cast<std::size_t>(above_[node]);
  };
  while (a != b) {
    if (depth_[a] >= depth_[b])
      climb(a, route.lanes, 2 * a);
    else
      climb(b, down, 2 * b + 1);
  }
  route.lanes.insert(route.lanes.end(), down.rbegin(), down.rend());
  return route;
}

std::map<std::string, std::string> Network::leaves() const {
  std::map<std::string, std::string> above;
  for (const Node& node : nodes_)
    if (node.ranks > 0) above[node.name] = node.above;
  return above;
}

}  // namespace scalemark::predict
