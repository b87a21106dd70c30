// SPDX-License-Identifier: Apache-2.0
// Texts of values and hashes.
#include "common/result/value.hpp"

#include <gtest/gtest.h>

namespace scalemark {
namespace {

TEST(ToText, IsPlain) {
  EXPECT_EQ(to_text(true), "true");
  EXPECT_EQ(to_text(std::int64_t{1048576}), "1048576");
  EXPECT_EQ(to_text(0.1), "0.1");
  EXPECT_EQ(to_text(2.0), "2");
  EXPECT_EQ(to_text(std::string("nchw")), "nchw");
}

// Vectors of the FNV reference code (Fowler, Noll, Vo).
TEST(HashText, IsFnv1a) {
  EXPECT_EQ(hash_text(""), "cbf29ce484222325");
  EXPECT_EQ(hash_text("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(hash_text("foobar"), "85944171f73967e8");
}

}  // namespace
}  // namespace scalemark
