// SPDX-License-Identifier: Apache-2.0
// Messages that share links: beside SimGrid's figures, and fair shares by hand.
#include "common/predict/network.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/predict/flows.hpp"

namespace scalemark::predict {
namespace {

using ::testing::HasSubstr;

constexpr double kMillis = 1e6;  ///< ns

/// Hosts with these links, By/s, on one switch.
Network star(const std::vector<double>& bandwidths, double latency) {
  std::vector<Node> nodes{{.name = "switch"}};
  for (std::size_t i = 0; i < bandwidths.size(); ++i)
    nodes.push_back({.name = "n" + std::to_string(i),
                     .above = "switch",
                     .bandwidth = bandwidths[i],
                     .latency = latency,
                     .ranks = 1});
  return {nodes, "test"};
}

double seconds(const std::string& algorithm, int ranks, std::uint64_t bytes, const Network& network,
               const LogGops& costs = {}) {
  return std::ranges::max(simulate(make_schedule(algorithm, ranks, bytes), costs, network)) * 1e-9;
}

/// From SimGrid's SMPI (CM02, factors of 1, no cross traffic): 8 MiB, 125 MB/s, 2 x 50 us.
TEST(Network, RingsAreSimGridsWithinAFifthOfAPercent) {
  constexpr std::uint64_t kBytes = 8 << 20;
  for (const auto& [ranks, time] :
       std::vector<std::pair<int, double>>{{2, 0.067342}, {4, 0.101298}, {8, 0.118876}}) {
    const std::vector<double> bandwidths(static_cast<std::size_t>(ranks), 125e6);
    EXPECT_NEAR(seconds("allreduce_ring", ranks, kBytes, star(bandwidths, 50e-6)), time,
                0.002 * time)
        << ranks;
  }
  EXPECT_NEAR(seconds("allreduce_ring", 4, kBytes, star({125e6, 125e6, 12.5e6, 125e6}, 50e-6)),
              1.007241, 0.001);
}

TEST(Network, FlowsShareALinkFairly) {
  // Two leaves with two hosts each; both hosts of the left leaf send to the right one.
  std::vector<Node> nodes{{.name = "top"},
                          {.name = "left", .above = "top", .bandwidth = 3e9},
                          {.name = "right", .above = "top", .bandwidth = 3e9}};
  for (const char* name : {"a", "b", "c", "d"})
    nodes.push_back(
        {.name = name,
         .above = std::string_view("ab").find(*name) != std::string::npos ? "left" : "right",
         .bandwidth = *name == 'a' ? 1e9 : 8e9,
         .ranks = 1});
  // a -> c and b -> d of 6 GB, in a round of an alltoall of distance 2.
  const Schedule pairs{.ranks = 4, .rounds = 1, .exchange = [](int, int rank) {
                         return rank < 2 ? Exchange{.to = rank + 2, .sent = 6'000'000'000}
                                         : Exchange{.from = rank - 2};
                       }};
  const std::vector<double> finish = simulate(pairs, {}, Network(nodes, "test"));
  // a has 1 GB/s of its own link; what it leaves of the uplink, 2 GB/s, is b's.
  EXPECT_NEAR(finish[2], 6000 * kMillis, 1);
  EXPECT_NEAR(finish[3], 3000 * kMillis, 1);
}

TEST(Network, WhatIsLeftOfALinkIsSharedAnewWhenAFlowEnds) {
  // Both send to host 2; the first message is half as long as the second.
  const Schedule pair{.ranks = 4, .rounds = 2, .exchange = [](int round, int rank) {
                        if (rank == round)
                          return Exchange{.to = 2 + round,
                                          .sent = round == 0 ? 1'000'000'000ULL : 2'000'000'000ULL};
                        if (rank == 2 + round) return Exchange{.from = round};
                        return Exchange{};
                      }};
  std::vector<Node> nodes{{.name = "top"}, {.name = "leaf", .above = "top", .bandwidth = 1e9}};
  for (const char* name : {"a", "b"})
    nodes.push_back({.name = name, .above = "top", .bandwidth = 1e10, .ranks = 1});
  for (const char* name : {"c", "d"})
    nodes.push_back({.name = name, .above = "leaf", .bandwidth = 1e10, .ranks = 1});
  const std::vector<double> finish = simulate(pair, {}, Network(nodes, "test"));
  // 2 s at half the rate for 1 GB each, then 1 GB at the full rate.
  EXPECT_NEAR(finish[2], 2000 * kMillis, 1);
  EXPECT_NEAR(finish[3], 3000 * kMillis, 1);
}

TEST(Network, ARankNeedsItsOwnHostsLinksOnlyBeyondIt) {
  std::vector<Node> nodes{{.name = "top"},
                          {.name = "a", .above = "top", .bandwidth = 1e9, .ranks = 2},
                          {.name = "b", .above = "top", .bandwidth = 1e9, .ranks = 2}};
  const Network network(nodes, "test");
  EXPECT_EQ(network.ranks(), 4);
  EXPECT_TRUE(network.route(0, 1).lanes.empty());
  EXPECT_EQ(network.route(0, 3).lanes.size(), 2U);
  // On one host: o + L + bytes G + o.
  EXPECT_NEAR(seconds("broadcast_binomial", 2, 1000, network, parse_loggops("L=500,o=100,G=2")),
              (100 + 500 + 2000 + 100) * 1e-9, 1e-12);
  EXPECT_THROW(seconds("broadcast_binomial", 5, 8, network), UsageError);
}

TEST(Network, RanksAreDistributedInTurn) {
  // Three ranks on a, one on b: block is a a a b, cyclic a b a a.
  Network network({{.name = "top"},
                   {.name = "a", .above = "top", .bandwidth = 1e9, .ranks = 3},
                   {.name = "b", .above = "top", .bandwidth = 1e9, .ranks = 1}},
                  "test");
  const auto is_within = [&](int from, int to) { return network.route(from, to).lanes.empty(); };
  EXPECT_TRUE(is_within(0, 1) && is_within(1, 2) && !is_within(2, 3));
  network.distribute_cyclically();
  EXPECT_EQ(network.ranks(), 4);
  EXPECT_TRUE(!is_within(0, 1) && is_within(0, 2) && is_within(2, 3));
}

// Turns look only at hosts that have ranks left: 2^18 turns of one host take no time.
TEST(Network, OneHostMayHaveMostRanks) {
  constexpr int kMany = 1 << 18;
  std::vector<Node> nodes{{.name = "top"},
                          {.name = "a", .above = "top", .bandwidth = 1, .ranks = kMany}};
  for (int i = 0; i < kMany; ++i)
    nodes.push_back({.name = "n" + std::to_string(i), .above = "top", .bandwidth = 1, .ranks = 1});
  Network network(nodes, "test");
  network.distribute_cyclically();
  EXPECT_EQ(network.ranks(), 2 * kMany);
  EXPECT_FALSE(network.route(0, 1).lanes.empty());
  EXPECT_TRUE(network.route(0, 2 * kMany - 1).lanes.empty());
}

TEST(Network, TimesThatNoNumberHoldsAreRefused) {
  for (const double bandwidth : {1e-320, 1e-6})
    EXPECT_THROW(seconds("allreduce_ring", 2, 1 << 30, star({bandwidth, 1}, 0)), UsageError);
  EXPECT_THROW(seconds("allreduce_ring", 2, 8, star({1, 1}, 1e300)), UsageError);
}

std::string refusal(std::vector<Node> nodes) {
  try {
    Network(std::move(nodes), "net.toml");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "(taken)";
}

TEST(Network, WhatIsNoTreeIsRefused) {
  const Node top{.name = "top"};
  const auto node = [](const char* name, const char* above, int ranks = 0, double bandwidth = 1e9) {
    return Node{.name = name, .above = above, .bandwidth = bandwidth, .ranks = ranks};
  };
  EXPECT_EQ(refusal({top, node("a", "top", 1)}), "(taken)");
  EXPECT_THAT(refusal({top, node("s", "t"), node("t", "s"), node("a", "s", 1)}),
              HasSubstr("net.toml: 's' hangs on a circle of switches"));
  EXPECT_THAT(refusal({top, node("a", "top", 1), node("a", "top", 1)}), HasSubstr("occurs twice"));
  EXPECT_THAT(refusal({top, node("a", "toq", 1)}), HasSubstr("'toq', which is not there"));
  EXPECT_THAT(refusal({top, node("a", "top", 1), node("b", "a", 1)}), HasSubstr("on host 'a'"));
  EXPECT_THAT(refusal({top, {.name = "other"}, node("a", "top", 1)}), HasSubstr("2 switches"));
  for (const double bandwidth : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                                 std::numeric_limits<double>::infinity()})
    EXPECT_THAT(refusal({top, node("a", "top", 1, bandwidth)}), HasSubstr("bandwidth above 0"));
}

TEST(Network, NamesTheSwitchAboveEachHost) {
  const Network network({{.name = "spine"},
                         {.name = "leaf", .above = "spine", .bandwidth = 1},
                         {.name = "a", .above = "leaf", .bandwidth = 1, .ranks = 2},
                         {.name = "b", .above = "spine", .bandwidth = 1, .ranks = 1}},
                        "test");
  EXPECT_EQ(network.leaves(), (std::map<std::string, std::string>{{"a", "leaf"}, {"b", "spine"}}));
}

}  // namespace
}  // namespace scalemark::predict
