// SPDX-License-Identifier: Apache-2.0
// Canonical keys and hashes.
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

TEST(MakeKey, SortsAxes) {
  const Params params = {
      {"ranks", std::int64_t{2}}, {"bytes", std::int64_t{8}}, {"in_place", false}};
  EXPECT_EQ(make_key("micro/allreduce", params), "micro/allreduce bytes=8 in_place=false ranks=2");
  EXPECT_EQ(make_key("micro/init", {}), "micro/init");
}

TEST(MakeKey, KeepsTextsWithBlanksApart) {
  EXPECT_NE(make_key("a/b", {{"x", std::string("1 y=2")}}),
            make_key("a/b", {{"x", std::int64_t{1}}, {"y", std::int64_t{2}}}));
  EXPECT_EQ(make_key("a/b", {{"x", std::string("1 y=2%")}}), "a/b x=1%20y=2%25");
}

// Vectors of the FNV reference code (Fowler, Noll, Vo).
TEST(HashText, IsFnv1a) {
  EXPECT_EQ(hash_text(""), "cbf29ce484222325");
  EXPECT_EQ(hash_text("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(hash_text("foobar"), "85944171f73967e8");
}

}  // namespace
}  // namespace scalemark
