// SPDX-License-Identifier: Apache-2.0
// Cases of different machines matched by mapping axes.
#include "common/compare/match_axes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "tests/common/compare/synthetic.hpp"

namespace scalemark::compare {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kKey = "micro/gemm device=cuda m=8 ranks=8 threads=12";

std::string mapped(const std::string& map, bool of_b, const std::string& key = kKey) {
  return mapped_key(key, {parse_axis_map(map)}, of_b);
}

TEST(AxisMap, RenamesLeavesOutAndDrops) {
  EXPECT_EQ(mapped("ranks=8->16", false), "micro/gemm device=cuda m=8 ranks=8->16 threads=12");
  EXPECT_EQ(mapped("ranks=8->16", true, "micro/gemm ranks=16"), "micro/gemm ranks=8->16");
  EXPECT_EQ(mapped("ranks=8->16", true), kKey);  // for B, the map renames 16, not 8
  EXPECT_EQ(mapped("threads=*", true), "micro/gemm device=cuda m=8 ranks=8 threads=*");
  EXPECT_EQ(mapped("threads=drop", true), "micro/gemm device=cuda m=8 ranks=8");
  EXPECT_EQ(mapped("rank=*", false), kKey);  // not matched as a prefix of `ranks`
  EXPECT_EQ(mapped("gemm=drop", false), kKey);
  EXPECT_EQ(mapped_key(kKey, {parse_axis_map("m=drop"), parse_axis_map("threads=*")}, false),
            "micro/gemm device=cuda ranks=8 threads=*");
}

TEST(AxisMap, RefusesWhatItDoesNotKnow) {
  for (const char* wrong :
       {"", "ranks", "ranks=", "ranks=8", "ranks=->8", "ranks=8->", "=*", "Ranks=*", "ra nks=*"}) {
    try {
      parse_axis_map(wrong);
      FAIL() << wrong;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr('"' + std::string(wrong) + '"'));
    }
  }
}

TEST(AxisMap, MakesCasesOfTwoClustersOne) {
  const auto run = [](const std::string& name, std::int64_t ranks, std::uint64_t time) {
    CaseResult one = test::measured("micro/allreduce", 1, {time});
    one.params["ranks"] = ranks;
    one.key = make_key(one.name, one.params);
    return test::digest_of(name, {one});
  };
  std::vector<RunDigest> a = {run("a", 8, 100)}, b = {run("b", 16, 120)};
  map_side(a, {parse_axis_map("ranks=*")}, false);
  map_side(b, {parse_axis_map("ranks=*")}, true);
  EXPECT_THAT(a[0].keys, ElementsAre("micro/allreduce bytes=1 ranks=*"));
  EXPECT_EQ(a[0].keys, b[0].keys);
  EXPECT_DOUBLE_EQ(b[0].rows.at(b[0].keys[0]).value, 120e-9);
}

TEST(AxisMap, NamesCasesThatBecomeOne) {
  std::vector<RunDigest> side = {
      test::digest_of("a", {test::measured("m/x", 1, {5}), test::measured("m/x", 2, {5})})};
  try {
    map_side(side, {parse_axis_map("bytes=*")}, false);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("\"m/x bytes=1 ranks=2\" and \"m/x bytes=2 ranks=2\""));
  }
}

}  // namespace
}  // namespace scalemark::compare
