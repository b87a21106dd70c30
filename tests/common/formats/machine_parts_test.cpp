// SPDX-License-Identifier: Apache-2.0
// Packages, cores and caches of hwloc's own XML (tests/topologies, and two lines by hand).
#include "common/formats/mlperf/machine_parts.hpp"

#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace scalemark::formats {
namespace {

TEST(MachineParts, CountsObjectsAndTheirSizes) {
  const MachineParts parts = machine_parts(
      "<topology><object type=\"Machine\"><object type=\"Package\" os_index=\"0\">"
      "<object type=\"L3Cache\" cache_size=\"16777216\"><object type=\"Core\">"
      "<object type=\"L1Cache\" cache_size=\"32768\" depth=\"1\"/>"
      "<object type=\"L1iCache\" cache_size=\"65536\"/></object><object type=\"Core\">"
      "<object type=\"L1Cache\" cache_size=\"32768\" depth=\"1\"/></object></object></object>");
  EXPECT_EQ(parts.packages, 1U);
  EXPECT_EQ(parts.cores, 2U);
  EXPECT_EQ(parts.caches, "L1: 2 x 32 KiB, L3: 1 x 16 MiB");
}

/// AMD says: an EPYC 7402 has 24 cores, an EPYC 9334 has 32.
TEST(MachineParts, CountsRealMachines) {
  for (const auto& [name, cores] :
       {std::pair("2xepyc7402-nps4-4xa100", 48U), std::pair("2xepyc9334-4xh100", 64U)}) {
    std::ifstream file(std::string(SCALEMARK_SOURCE_DIR) + "/tests/topologies/" + name + ".xml");
    const std::string xml((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const MachineParts parts = machine_parts(xml);
    EXPECT_EQ(parts.packages, 2U) << name;
    EXPECT_EQ(parts.cores, cores) << name;
  }
}

TEST(MachineParts, TakesAnyText) {
  for (const char* xml :
       {"", "<object ", "<object type=\"", "<object type=\"L2Cache\" cache_size=\"-5\"",
        "<object <object type=\"Package\""}) {
    EXPECT_EQ(machine_parts(xml).caches, "") << xml;
  }
}

}  // namespace
}  // namespace scalemark::formats
