// SPDX-License-Identifier: Apache-2.0
// Time stamps and the clock's cost; error positions.
#include "common/base/clock.hpp"

#include <chrono>
#include <ctime>
#include <regex>

#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace scalemark {
namespace {

TEST(Clock, NeverGoesBack) {
  std::uint64_t last = now_ns();
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t next = now_ns();
    ASSERT_GE(next, last);
    last = next;
  }
}

TEST(Clock, CostsSomethingAndNotMuch) {
  EXPECT_GT(clock_cost_ns(), 0);
  EXPECT_LT(clock_cost_ns(), 1e6);
}

TEST(UtcNow, AgreesWithTheSystem) {
  // Not std::time: the kernel answers it from its last tick, which may lie a second behind.
  const auto system_time = [] {
    return std::chrono::system_clock::to_time_t(
        std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
  };
  const std::time_t before = system_time();
  const std::string stamp = utc_now();
  const std::time_t after = system_time();
  ASSERT_TRUE(std::regex_match(stamp, std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)")))
      << stamp;
  std::tm parsed{};
  ASSERT_NE(strptime(stamp.c_str(), "%Y-%m-%dT%H:%M:%S", &parsed), nullptr);
  const std::time_t read = timegm(&parsed);
  EXPECT_GE(read, before);
  EXPECT_LE(read, after);
}

TEST(Located, NamesFileAndLineWithoutTheBuildersPath) {
  const int line = __LINE__ + 1;
  const std::string said = located("read failed", {});
  EXPECT_EQ(said, "read failed [tests/common/base/clock_test.cpp:" + std::to_string(line) + "]");
  EXPECT_EQ(located("read failed", {"/elsewhere/x.cpp", 12}), "read failed [/elsewhere/x.cpp:12]");
}

TEST(UtcSeconds, AreThoseOfDate) {
  EXPECT_EQ(utc_seconds("1970-01-01T00:00:00.000Z"), 0);
  EXPECT_EQ(utc_seconds("2000-03-01T00:00:00.000Z"), 951868800);  // date -u -d ... +%s
  EXPECT_EQ(utc_seconds("2026-01-31T12:00:00.500Z"), 1769860800.5);
  EXPECT_TRUE(utc_seconds(utc_now()).has_value());
  for (const char* wrong :
       {"", "2026-01-31", "2026-02-30T12:00:00.000Z", "2026-01-31T24:00:00.000Z",
        "2026-01-31T12:00:00.000+", "2026-01-31 12:00:00.000Z", "-026-01-31T12:00:00.000Z"}) {
    EXPECT_FALSE(utc_seconds(wrong).has_value()) << wrong;
  }
}

}  // namespace
}  // namespace scalemark
