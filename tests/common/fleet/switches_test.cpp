// SPDX-License-Identifier: Apache-2.0
// The switch of each host, from Slurm's topology.
#include "common/fleet/switches.hpp"

#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace scalemark::fleet {
namespace {

constexpr const char* kConfigured = R"(# topology.conf
SwitchName=leaf1 Nodes=n[1-2]
switchname=leaf2  nodes=n3,login LinkSpeed=1   # another case

SwitchName=top Switches=leaf[1-2]
)";

/// What `scontrol show topology` prints: switches of higher levels have all hosts below them.
constexpr const char* kPrinted = R"(SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=n[1-2]
SwitchName=leaf2 Level=0 LinkSpeed=1 Nodes=n3,login
SwitchName=top Level=1 LinkSpeed=1 Nodes=n[1-3],login Switches=leaf[1-2]
)";

TEST(Switches, AreReadFromSlurm) {
  const Switches expected{{"n1", "leaf1"}, {"n2", "leaf1"}, {"n3", "leaf2"}, {"login", "leaf2"}};
  for (const char* text : {kConfigured, kPrinted}) {
    EXPECT_TRUE(is_slurm_topology(text));
    EXPECT_EQ(parse_slurm_topology(text, "topology.conf"), expected);
  }
}

TEST(Switches, MayBeBlocks) {
  constexpr const char* kBlocks =
      "BlockName=b1 BlockIndex=0 Nodes=n[1-2] BlockSize=2\n"
      "BlockName=all Nodes=n[1-2] Blocks=b1\n";
  EXPECT_TRUE(is_slurm_topology(kBlocks));
  EXPECT_EQ(parse_slurm_topology(kBlocks, "x"), (Switches{{"n1", "b1"}, {"n2", "b1"}}));
}

TEST(Switches, OtherTextsAreNone) {
  EXPECT_FALSE(is_slurm_topology(""));
  EXPECT_FALSE(is_slurm_topology("[[switch]]\nname = \"SwitchName=a\"\n"));
  EXPECT_FALSE(is_slurm_topology("# SwitchName=a Nodes=n1\n"));
  for (const char* text : {"SwitchName=a Nodes=n[1", "SwitchName= Nodes=n1", "SwitchName Nodes=n1",
                           "SwitchName=a Nodes=n1\nNodes=n2", "SwitchName=a Nodes=n[1-1048577]",
                           "SwitchName=a Nodes=n[1-1048576]\nSwitchName=b Nodes=m1"})
    EXPECT_THROW(parse_slurm_topology(text, "x"), InputError) << text;
}

TEST(Switches, AHostIsFoundWithItsDomain) {
  const Switches switches{{"n1", "left"}, {"n2.inside", "right"}};
  using Names = std::vector<std::string>;
  EXPECT_EQ(leaves_of(Names{"n1.cluster", "n2.inside", "n1"}, switches),
            (Names{"left", "right", "left"}));
  EXPECT_THROW(leaves_of(Names{"n1", "n3"}, switches), InputError);
}

}  // namespace
}  // namespace scalemark::fleet
