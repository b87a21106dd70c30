// SPDX-License-Identifier: Apache-2.0
// Lists of hosts as Slurm writes them.
#include "common/fleet/node_list_reader.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/fleet/host_names.hpp"

namespace scalemark::fleet {
namespace {

using HostList = std::vector<std::string>;

HostList read(const std::string& list, std::size_t max = 100) {
  return expanded_node_list(list, "topology.conf, line 1", max);
}

TEST(NodeListReader, NamesAndBrackets) {
  EXPECT_EQ(read("login"), HostList{"login"});
  EXPECT_EQ(read("a,b.x,c-1"), (HostList{"a", "b.x", "c-1"}));
  EXPECT_EQ(read("node[1,3-5]"), (HostList{"node1", "node3", "node4", "node5"}));
  EXPECT_EQ(read("node[099-101]"), (HostList{"node099", "node100", "node101"}));
  EXPECT_EQ(read("n[1-2]-ib,login"), (HostList{"n1-ib", "n2-ib", "login"}));
  EXPECT_EQ(read("r[1-2]n[8-9]"), (HostList{"r1n8", "r1n9", "r2n8", "r2n9"}));
}

TEST(NodeListReader, WhatNodeListWritesIsReadAgain) {
  const HostList names{"login", "gpu08", "gpu09", "gpu10", "n1", "n2", "n3"};
  EXPECT_EQ(read(node_list(names)), names);
}

TEST(NodeListReader, AListMayHaveNoMoreHostsThanAsked) {
  EXPECT_EQ(read("n[1-100]").size(), 100U);
  EXPECT_EQ(read("n[1-10]m[1-10]").size(), 100U);
  for (const char* list : {"n[1-101]", "n[1-999999999999999999]", "a,n[1-100]", "n[1-100],a",
                           "n[1-50,1-51]", "n[1-11]m[1-10]", "n[1-99]m[1-99]o[1-99]"})
    EXPECT_THROW(read(list), InputError) << list;
  EXPECT_THROW(read("a", 0), InputError);
}

TEST(NodeListReader, OtherTextsAreRefused) {
  for (const char* list : {"",      ",",      "a,",       ",a",    "n[",
                           "n[]",   "n[1",    "n[1-]",    "n[-1]", "n[2-1]",
                           "n[1,]", "n[a]",   "n[1-2-3]", "n1]",   "-a",
                           "a b",   "n[1 2]", "a;b",      "n[1]$", "n[1000000000000000000]"})
    EXPECT_THROW(read(list), InputError) << list;
}

}  // namespace
}  // namespace scalemark::fleet
