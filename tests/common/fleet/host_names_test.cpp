// SPDX-License-Identifier: Apache-2.0
// Lists of hosts.
#include "common/fleet/host_names.hpp"

#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace scalemark::fleet {
namespace {

std::string listed(std::vector<std::string> names) { return node_list(names); }

TEST(HostNames, AreListedAsSlurmDoes) {
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"login"}), "login");
  EXPECT_EQ(listed({"node7"}), "node7");
  EXPECT_EQ(listed({"node3", "node1", "node2", "node9"}), "node[1-3,9]");
  EXPECT_EQ(listed({"node9", "node10", "node11"}), "node[9-11]");
  EXPECT_EQ(listed({"node099", "node100", "node101", "node103"}), "node[099-101,103]");
  EXPECT_EQ(listed({"node01", "node1"}), "node1,node01") << "different widths, leading zeros";
  EXPECT_EQ(listed({"a1", "b1", "login", "a1"}), "login,a1,b1") << "each once";
  EXPECT_EQ(listed({"12", "node12345678901234567890"}), "12,node12345678901234567890");
  EXPECT_EQ(listed({"node1.x", "node2.x"}), "node1.x,node2.x");
}

TEST(HostNames, OnlyNamesMayStandInACommand) {
  EXPECT_TRUE(is_host_name("node-1.cluster_2"));
  for (const char* name : {"", "-n1", "a b", "a;b", "$(a)", "a\"", "a\n", "\xc3\xa9"})
    EXPECT_FALSE(is_host_name(name)) << name;
}

TEST(HostNames, AreReadFromAText) {
  EXPECT_EQ(host_names("n1\nn2  n3\r\n\n", "hosts"), (std::vector<std::string>{"n1", "n2", "n3"}));
  EXPECT_TRUE(host_names(" \n", "hosts").empty());
  EXPECT_THROW(host_names("n1\nn2;reboot", "hosts"), InputError);
}

TEST(HostNames, MayHaveADomain) {
  EXPECT_EQ(short_name("node1.cluster.example"), "node1");
  EXPECT_EQ(short_name("node1"), "node1");
}

}  // namespace
}  // namespace scalemark::fleet
