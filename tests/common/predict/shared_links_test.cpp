// SPDX-License-Identifier: Apache-2.0
// Rates of flows that come and go, beside all rates computed anew each time.
#include "common/predict/shared_links.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace scalemark::predict {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

struct Planned {
  int from = 0, to = 0;
  double begins = 0, bytes = 0;
};

/// Four leaves with four hosts each, whose links have rates of 1 to 4 B/s.
Network tree(std::mt19937& random) {
  std::uniform_int_distribution<int> rate(1, 4);
  std::vector<Node> nodes{{.name = "top"}};
  for (int leaf = 0; leaf < 4; ++leaf) {
    const std::string name = "leaf" + std::to_string(leaf);
    nodes.push_back({.name = name, .above = "top", .bandwidth = 2.0 * rate(random)});
    for (int host = 0; host < 4; ++host)
      nodes.push_back({.name = name + "." + std::to_string(host),
                       .above = name,
                       .bandwidth = 1.0 * rate(random),
                       .ranks = 1});
  }
  return {nodes, "test"};
}

/// Max-min fair rates: all grow alike until a lane is full, whose flows then stop growing.
std::vector<double> fair_rates(const std::vector<std::vector<Lane>>& flows, const Network& network,
                               double fastest) {
  std::vector<double> rates(flows.size(), 0);
  std::vector<bool> grows(flows.size(), true);
  while (std::ranges::count(grows, true) > 0) {
    double step = kNever;
    std::map<Lane, std::pair<double, int>> used;  // rate, flows that grow
    for (std::size_t i = 0; i < flows.size(); ++i) {
      for (const Lane lane : flows[i]) {
        used[lane].first += rates[i];
        used[lane].second += grows[i] ? 1 : 0;
      }
      if (grows[i]) step = std::min(step, fastest - rates[i]);
    }
    for (const auto& [lane, use] : used)
      if (use.second > 0) step = std::min(step, (network.bandwidth(lane) - use.first) / use.second);
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (!grows[i]) continue;
      rates[i] += step;
      const bool is_full = std::ranges::any_of(flows[i], [&](Lane lane) {
        return used[lane].first + used[lane].second * step > network.bandwidth(lane) - 1e-9;
      });
      if (is_full || rates[i] > fastest - 1e-9) grows[i] = false;
    }
  }
  return rates;
}

std::vector<double> ends_by_reference(const std::vector<Planned>& plan, const Network& network,
                                      double fastest) {
  std::vector<double> left, ends(plan.size(), kNever);
  for (const Planned& one : plan) left.push_back(one.bytes);
  double now = 0;
  while (true) {
    std::vector<std::size_t> flowing;
    std::vector<std::vector<Lane>> lanes;
    double next = kNever;
    for (std::size_t i = 0; i < plan.size(); ++i) {
      if (plan[i].begins > now) next = std::min(next, plan[i].begins);
      if (plan[i].begins > now || ends[i] < kNever) continue;
      flowing.push_back(i);
      lanes.push_back(network.route(plan[i].from, plan[i].to).lanes);
    }
    const std::vector<double> rates = fair_rates(lanes, network, fastest);
    for (std::size_t i = 0; i < flowing.size(); ++i)
      next = std::min(next, now + left[flowing[i]] / rates[i]);
    if (next == kNever) return ends;
    for (std::size_t i = 0; i < flowing.size(); ++i) {
      double& bytes = left[flowing[i]];
      bytes -= rates[i] * (next - now);
      if (bytes < 1e-9) ends[flowing[i]] = next;
    }
    now = next;
  }
}

std::vector<double> ends_by_links(const std::vector<Planned>& plan, const Network& network,
                                  double fastest) {
  SharedLinks links(network, fastest);
  std::vector<double> ends(plan.size(), kNever);
  std::map<std::size_t, std::size_t> planned;  // by number
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < plan.size(); ++i) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return plan[i].begins; });
  std::size_t begun = 0;
  while (true) {
    const double begins = begun < order.size() ? plan[order[begun]].begins : kNever;
    const double now = std::min(begins, links.next_end());
    if (now == kNever) return ends;
    while (const auto ended = links.take_ended(now)) ends[planned.at(*ended)] = now;
    for (; begun < order.size() && plan[order[begun]].begins <= now; ++begun) {
      const Planned& one = plan[order[begun]];
      planned[links.add(network.route(one.from, one.to).lanes, one.bytes)] = order[begun];
    }
    links.share_rates(now);
  }
}

TEST(SharedLinks, RatesAreThoseOfAllFlowsAtOnce) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int> rank(0, 15), bytes(1, 40), time(0, 60);
  for (int trial = 0; trial < 60; ++trial) {
    SCOPED_TRACE(trial);
    const Network network = tree(random);
    const double fastest = trial % 3 == 0 ? 0.7 : 100;
    std::vector<Planned> plan;
    for (int i = 0; i < 40; ++i) {
      const int from = rank(random);
      // Times of quarters of a second, so that many begin at once.
      plan.push_back({from, (from + 1 + rank(random) % 15) % 16, time(random) / 4.0,
                      static_cast<double>(bytes(random))});
    }
    const std::vector<double> wanted = ends_by_reference(plan, network, fastest),
                              found = ends_by_links(plan, network, fastest);
    for (std::size_t i = 0; i < plan.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 1e-7) << i;
  }
}

// Each flow that ends makes all others faster, so that their earlier ends are outdated.
TEST(SharedLinks, ManyFlowsOfOneLinkEndOneByOne) {
  std::mt19937 random(2);
  const Network network = tree(random);
  std::vector<Planned> plan;
  for (int i = 0; i < 200; ++i) plan.push_back({0, 15, 0, 1.0 + i});
  const std::vector<double> wanted = ends_by_reference(plan, network, 100),
                            found = ends_by_links(plan, network, 100);
  for (std::size_t i = 0; i < plan.size(); ++i)
    EXPECT_NEAR(found[i], wanted[i], 1e-6 * wanted[i]) << i;
}

}  // namespace
}  // namespace scalemark::predict
