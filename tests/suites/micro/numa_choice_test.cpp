// SPDX-License-Identifier: Apache-2.0
// NUMA nodes by name, on machines with none, one and four of them.
#include "suites/micro/memory/numa_choice.hpp"

#include <gtest/gtest.h>

namespace scalemark::micro {
namespace {

hardware::Machine machine_of(const std::vector<int>& nodes) {
  hardware::Machine machine;
  for (const int node : nodes) {
    hardware::NumaNode one;
    one.index = node;
    one.memory_bytes = 1 << 30;
    machine.numa.push_back(one);
  }
  return machine;
}

TEST(NumaChoice, NodesByName) {
  hardware::Machine machine = machine_of({0, 1, 2, 5});
  machine.distances = {{10, 12, 32, 20}, {12, 10, 20, 32}, {32, 20, 10, 12}, {20, 32, 12, 10}};
  EXPECT_EQ(choose_numa(machine, 1, "local").node, 1);
  EXPECT_EQ(choose_numa(machine, 1, "remote").node, 5) << "the farthest";
  EXPECT_EQ(choose_numa(machine, 0, "remote").node, 2);
  EXPECT_EQ(choose_numa(machine, 0, "5").node, 5);
  EXPECT_EQ(numa_distance(machine, 1, 5), 32U);
  EXPECT_EQ(numa_distance(machine, 1, 7), 0U);
  machine.distances.clear();
  EXPECT_EQ(choose_numa(machine, 0, "remote").node, 1) << "nobody says how far: the first";
}

TEST(NumaChoice, WhatIsNotThereHasAReason) {
  const hardware::Machine machine = machine_of({0, 1});
  EXPECT_EQ(choose_numa(machine, 0, "3").reason,
            "no NUMA node 3 with memory that the rank may use; there are: 0, 1");
  EXPECT_EQ(choose_numa(machine, -1, "local").node, -1) << "where the thread runs";
  EXPECT_EQ(choose_numa(machine, -1, "local").reason, "");
  EXPECT_EQ(choose_numa(machine, -1, "remote").reason, "the rank is bound to no single NUMA node");
  EXPECT_EQ(choose_numa(machine_of({0}), 0, "remote").reason, "the machine has one NUMA node");
  hardware::Machine excluded = machine_of({0, 1, 2});
  excluded.numa[1].memory_bytes = 0;  // a cpuset without this node's memory
  EXPECT_EQ(choose_numa(excluded, 1, "local").reason,
            "the rank's own NUMA node 1 has no memory that the rank may use");
  EXPECT_EQ(choose_numa(excluded, 0, "remote").node, 2);
}

TEST(NumaChoice, OneNodeOrNoneNeedsNoChoice) {
  for (const std::vector<int>& nodes : {std::vector<int>{}, std::vector<int>{0}}) {
    const NumaChoice choice = choose_numa(machine_of(nodes), -1, "local");
    EXPECT_EQ(choice.node, -1);
    EXPECT_EQ(choice.reason, "");
  }
  EXPECT_EQ(choose_numa(machine_of({}), -1, "0").reason,
            "no NUMA node 0 with memory that the rank may use; there are: none");
}

}  // namespace
}  // namespace scalemark::micro
