// SPDX-License-Identifier: Apache-2.0
// How a job is divided into ranks that load the network and ranks that feel it.
#include "suites/micro/collective/congestion_roles.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace scalemark::micro {
namespace {

std::vector<std::string> job(int nodes, int ranks_each) {
  std::vector<std::string> all;
  for (int rank = 0; rank < nodes * ranks_each; ++rank)
    all.push_back("node" + std::to_string(rank / ranks_each));
  return all;
}

std::vector<int> sorted(std::vector<int> values) {
  std::ranges::sort(values);
  return values;
}

TEST(CongestionRoles, EveryRankHasOneRoleAndTheShareIsKept) {
  for (const int nodes : {1, 2, 4, 5, 10, 100}) {
    for (const double share : {0.0, 0.5, 0.8, 1.0}) {
      const auto all = job(nodes, 4);
      const CongestionRoles roles = congestion_roles(all, share, 7);
      std::set<int> ranks(roles.victims.begin(), roles.victims.end());
      ranks.insert(roles.congestors.begin(), roles.congestors.end());
      EXPECT_EQ(roles.victims.size() + roles.congestors.size(), all.size());
      EXPECT_EQ(ranks.size(), all.size()) << "none twice";
      EXPECT_EQ(roles.by_node, nodes >= 4);
      const int units = nodes >= 4 ? nodes : nodes * 4, each = nodes >= 4 ? 4 : 1;
      const int wanted = std::clamp(static_cast<int>(share * units + 0.5), 2, units - 2);
      EXPECT_EQ(roles.congestors.size(), static_cast<std::size_t>(wanted * each))
          << nodes << " nodes, share " << share;
    }
  }
}

TEST(CongestionRoles, NodesAreNotDivided) {
  const auto all = job(10, 3);
  const CongestionRoles roles = congestion_roles(all, 0.8, 1);
  std::set<std::string> victims, congestors;
  for (const int rank : roles.victims) victims.insert(all[static_cast<std::size_t>(rank)]);
  for (const int rank : roles.congestors) congestors.insert(all[static_cast<std::size_t>(rank)]);
  EXPECT_EQ(victims.size(), 2U);
  EXPECT_EQ(congestors.size(), 8U);
  for (const std::string& node : victims) EXPECT_FALSE(congestors.contains(node)) << node;
}

TEST(CongestionRoles, SeedsGiveGroupsAndOrders) {
  const auto all = job(40, 1);
  const CongestionRoles one = congestion_roles(all, 0.5, 1), again = congestion_roles(all, 0.5, 1);
  const CongestionRoles other = congestion_roles(all, 0.5, 2);
  EXPECT_EQ(one.victims, again.victims);
  EXPECT_EQ(one.congestors, again.congestors);
  EXPECT_NE(sorted(one.victims), sorted(other.victims));
  EXPECT_NE(one.victims, sorted(one.victims))
      << "a ring in the order of ranks stays within switches";
}

}  // namespace
}  // namespace scalemark::micro
