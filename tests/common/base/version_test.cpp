// SPDX-License-Identifier: Apache-2.0
// The facts that CMake writes into the program.
#include "common/base/version.hpp"

#include <regex>

#include <gtest/gtest.h>

namespace scalemark {
namespace {

TEST(Version, IsThreeNumbers) {
  EXPECT_TRUE(std::regex_match(std::string(version()), std::regex(R"(\d+\.\d+\.\d+)")));
}

TEST(Version, RevisionIsAHashOrUnknown) {
  EXPECT_TRUE(std::regex_match(std::string(git_revision()), std::regex("[0-9a-f]{7,40}|unknown")));
}

TEST(BuildInfo, NamesEveryOptionalPartWithItsState) {
  for (const char* part : {"cuda", "nccl", "cupti", "dali", "libtorch"}) {
    ASSERT_TRUE(build_info().contains(part)) << part;
    const std::string state = build_info().at(part);
    EXPECT_TRUE(state.starts_with("on: ") || state.starts_with("off: ")) << part << ": " << state;
  }
  EXPECT_FALSE(build_info().at("compiler").empty());
  EXPECT_TRUE(build_info().contains("build_type"));
  EXPECT_TRUE(build_info().contains("flags"));
}

}  // namespace
}  // namespace scalemark
