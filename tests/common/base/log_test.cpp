// SPDX-License-Identifier: Apache-2.0
// Prefix, levels, and that nothing harmful reaches the terminal.
#include "common/base/log.hpp"

#include <gtest/gtest.h>

namespace scalemark::log {
namespace {

template <class Call>
std::string captured(Call call) {
  testing::internal::CaptureStderr();
  call();
  return testing::internal::GetCapturedStderr();
}

TEST(Log, PrefixesRankAndHost) {
  configure(1, 4, "node7", 0);
  EXPECT_EQ(captured([] { warn("careful"); }), "[1/4 node7] warn: careful\n");
  EXPECT_EQ(captured([] { error("broken"); }), "[1/4 node7] error: broken\n");
}

TEST(Log, ShowsInfoOfRankZeroOnly) {
  configure(1, 4, "n", 0);
  EXPECT_EQ(captured([] { info("hello"); }), "");
  configure(0, 4, "n", 0);
  EXPECT_EQ(captured([] { info("hello"); }), "[0/4 n] info: hello\n");
}

TEST(Log, FollowsVerbosity) {
  configure(0, 1, "n", -1);
  EXPECT_EQ(captured([] { info("a"), debug("b"), warn("c"); }), "[0/1 n] warn: c\n");
  configure(0, 1, "n", 0);
  EXPECT_EQ(captured([] { debug("b"); }), "");
  configure(0, 1, "n", 1);
  EXPECT_EQ(captured([] { debug("b"); }), "[0/1 n] debug: b\n");
}

TEST(Log, PrefixesEveryLineAndCleansIt) {
  configure(0, 1, "n", 0);
  EXPECT_EQ(captured([] { warn("one\ntwo\x1b[31m {}"); }),
            "[0/1 n] warn: one\n[0/1 n] warn: two?[31m {}\n");
}

}  // namespace
}  // namespace scalemark::log
