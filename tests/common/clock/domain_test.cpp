// SPDX-License-Identifier: Apache-2.0
// Ranks of a node that read one clock, and those that do not.
#include "common/clock/domain.hpp"

#include <filesystem>
#include <vector>

#include <gtest/gtest.h>

namespace scalemark::clock {
namespace {

std::vector<int> leaders(const std::vector<std::string>& names) {
  std::vector<int> found;
  for (int rank = 0; rank < static_cast<int>(names.size()); ++rank)
    found.push_back(first_of_domain(names, rank));
  return found;
}

TEST(Domain, EqualNamesReadTheClockOfTheFirstOfThem) {
  EXPECT_EQ(leaders({"a"}), std::vector({0}));
  EXPECT_EQ(leaders({"a", "a", "a"}), std::vector({0, 0, 0}));
  EXPECT_EQ(leaders({"a", "b", "a", "b", "c"}), std::vector({0, 1, 0, 1, 4}));
}

TEST(Domain, RanksWithoutANameReadTheFirstRanksClock) {
  EXPECT_EQ(leaders({"", ""}), std::vector({0, 0}));
  EXPECT_EQ(leaders({"a", "", "b", ""}), std::vector({0, 0, 2, 0}));
  // Nothing says that the named one reads the nameless first one's clock.
  EXPECT_EQ(leaders({"", "a", "a"}), std::vector({0, 1, 1}));
}

TEST(Domain, AProcessHasANameWhereTheSystemHasSuchNames) {
  const std::string name = time_namespace();
  EXPECT_EQ(name.substr(0, 6), std::filesystem::exists("/proc/self/ns/time") ? "time:[" : "");
  EXPECT_EQ(name, time_namespace());
}

}  // namespace
}  // namespace scalemark::clock
