// SPDX-License-Identifier: Apache-2.0
// Typed values of a point, its errors and the canonical key.
#include "common/result/point.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace scalemark {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

Point some() {
  return {{"ranks", std::int64_t{2}}, {"clip", 0.5}, {"in_place", true}, {"dtype", "fp32"}};
}

TEST(Point, HoldsTypedValues) {
  const Point point = some();
  EXPECT_EQ(point.integer("ranks"), 2);
  EXPECT_EQ(point.number("clip"), 0.5);
  EXPECT_TRUE(point.flag("in_place"));
  EXPECT_EQ(point.text("dtype"), "fp32");
  EXPECT_EQ(*point.find("dtype"), Value("fp32"));
  EXPECT_EQ(point.find("root"), nullptr);
  EXPECT_EQ(*point.find_as<std::int64_t>("ranks"), 2);
  EXPECT_EQ(point.find_as<std::int64_t>("dtype"), nullptr);
  EXPECT_EQ(point.find_as<std::int64_t>("root"), nullptr);
}

TEST(Point, NamesAMissingAxisAndTheTypeAskedFor) {
  const Point point = some();
  EXPECT_THAT([&] { point.integer("root"); },
              ThrowsMessage<Error>("no axis root to read an integer from"));
  EXPECT_THAT([&] { point.text("span"); }, ThrowsMessage<Error>(HasSubstr("span to read text")));
  EXPECT_THAT([&] { point.flag("graphs"); },
              ThrowsMessage<Error>(HasSubstr("graphs to read a flag")));
  EXPECT_THAT([&] { point.number("rate"); },
              ThrowsMessage<Error>(HasSubstr("rate to read a number")));
}

TEST(Point, NamesAnAxisOfAnotherTypeAndBothTypes) {
  const Point point = some();
  EXPECT_THAT([&] { point.integer("dtype"); },
              ThrowsMessage<Error>("axis dtype is text ('fp32'), not an integer"));
  EXPECT_THAT([&] { point.text("ranks"); },
              ThrowsMessage<Error>("axis ranks is an integer ('2'), not text"));
  EXPECT_THAT([&] { point.number("in_place"); },
              ThrowsMessage<Error>("axis in_place is a flag ('true'), not a number"));
  EXPECT_THAT([&] { point.flag("clip", false); },
              ThrowsMessage<Error>("axis clip is a number ('0.5'), not a flag"));
}

TEST(Point, TakesTheOtherValueOnlyForAMissingAxis) {
  const Point point = some();
  EXPECT_EQ(point.integer("root", 3), 3);
  EXPECT_EQ(point.integer("ranks", 3), 2);
  EXPECT_EQ(point.text("span", "any"), "any");
  EXPECT_EQ(point.text("dtype", "any"), "fp32");
  EXPECT_TRUE(point.flag("graphs", true));
  EXPECT_TRUE(point.flag("in_place", false));
}

TEST(Point, IsSortedByNameAndChanges) {
  Point point = some();
  EXPECT_FALSE(point.add("dtype", "int8"));
  EXPECT_TRUE(point.add("bytes", std::int64_t{8}));
  point["dtype"] = "fp64";
  point.erase("clip");
  std::vector<std::string> names;
  for (const auto& [axis, value] : point) names.push_back(axis);
  EXPECT_THAT(names, testing::ElementsAre("bytes", "dtype", "in_place", "ranks"));
  EXPECT_EQ(point.text("dtype"), "fp64");
  EXPECT_FALSE(point == some());
}

TEST(MakeKey, SortsAxes) {
  const Point point = {{"ranks", std::int64_t{2}}, {"bytes", std::int64_t{8}}, {"in_place", false}};
  EXPECT_EQ(make_key("micro/allreduce", point), "micro/allreduce bytes=8 in_place=false ranks=2");
  EXPECT_EQ(make_key("micro/init", {}), "micro/init");
}

TEST(MakeKey, KeepsTextsWithBlanksApart) {
  EXPECT_NE(make_key("a/b", {{"x", std::string("1 y=2")}}),
            make_key("a/b", {{"x", std::int64_t{1}}, {"y", std::int64_t{2}}}));
  EXPECT_EQ(make_key("a/b", {{"x", std::string("1 y=2%")}}), "a/b x=1%20y=2%25");
}

}  // namespace
}  // namespace scalemark
