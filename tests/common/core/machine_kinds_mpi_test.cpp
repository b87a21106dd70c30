// SPDX-License-Identifier: Apache-2.0
// Which nodes are of one kind, and what their description does not say.
#include <gtest/gtest.h>
#include <unistd.h>

#include "common/core/environment/machine_kinds.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark {
namespace {

std::string node(const std::string& host, const std::string& memory, const std::string& model) {
  return "<topology version=\"2.0\">\n"
         "  <object type=\"Machine\" allowed_cpuset=\"0x" +
         host.substr(4) +
         "\" gp_index=\"1\">\n"
         "    <info name=\"HostName\" value=\"" +
         host +
         "\"/>\n"
         "    <info name=\"DMIProductSerial\" value=\"S-" +
         host +
         "\"/>\n"
         "    <info name=\"CPUModel\" value=\"" +
         model +
         "\"/>\n"
         "    <object type=\"NUMANode\" local_memory=\"" +
         memory +
         "\">\n"
         "      <page_type size=\"4096\" count=\"" +
         memory +
         "\"/>\n"
         "      <info name=\"NVIDIAUUID\" value=\"GPU-" +
         host +
         "\"/>\n"
         "      <info name=\"Port1GID0\" value=\"fe80:" +
         host +
         "\"/>\n"
         "      <info name=\"Address\" value=\"mac " +
         host +
         "\"/>\n"
         "    </object>\n  </object>\n</topology>\n";
}

TEST(MachineKinds, NamesAndSerialNumbersAreGone) {
  const std::string xml = anonymous_xml(node("node17", "540000000000", "X"));
  EXPECT_EQ(xml.find("node17"), std::string::npos) << xml;
  EXPECT_NE(xml.find("CPUModel"), std::string::npos);
  EXPECT_NE(xml.find("local_memory=\"540000000000\""), std::string::npos);
}

TEST(MachineKinds, NodesOfAKindDifferByNameAndSomePages) {
  const auto kind = [](const std::string& xml) { return kind_text(anonymous_xml(xml)); };
  const std::string first = kind(node("node17", "540000000000", "X"));
  EXPECT_EQ(first, kind(node("node18", "540000004096", "X")));
  EXPECT_NE(first, kind(node("node18", "270000000000", "X"))) << "half of the memory is missing";
  EXPECT_NE(first, kind(node("node18", "540000000000", "Y")));
}

TEST(MachineKinds, OneNodeIsOneKindAndDoesNotSayItsName) {
  SessionOptions options;
  options.placement = hardware::Policy::none;
  const Session session(test::world(), options);
  std::string mine;
  const std::map<std::string, std::string> machines = gather_machines(session, mine);
  EXPECT_EQ(mine, "kind1");
  if (test::world().rank() != 0) {
    EXPECT_TRUE(machines.empty());
    return;
  }
  ASSERT_EQ(machines.size(), 1U);
  const std::string& xml = machines.at("kind1");
  EXPECT_NE(xml.find("<topology"), std::string::npos);
  EXPECT_EQ(xml.find("HostName"), std::string::npos);
  EXPECT_EQ(xml.find("Serial"), std::string::npos);
}

}  // namespace
}  // namespace scalemark
