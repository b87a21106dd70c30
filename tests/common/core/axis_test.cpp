// SPDX-License-Identifier: Apache-2.0
// Parsing axis values, and what the builder declares.
#include "common/core/axis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/core/benchmark.hpp"

namespace scalemark {
namespace {

void measure_nothing(Case&) {}

TEST(Axis, ParsesIntegersWithinItsRange) {
  const Benchmark benchmark =
      Benchmark("test/axis", measure_nothing)
          .axis_integer("bytes", {.minimum = 4, .maximum = 1024, .defaults = "8"});
  const Axis& axis = *benchmark.find_axis("bytes");
  EXPECT_EQ(axis.parse("8,1K"), (std::vector<Value>{std::int64_t{8}, std::int64_t{1024}}));
  EXPECT_EQ(axis.parse("4:32:*2"), (std::vector<Value>{std::int64_t{4}, std::int64_t{8},
                                                       std::int64_t{16}, std::int64_t{32}}));
  EXPECT_THROW(axis.parse("2"), UsageError);
  EXPECT_THROW(axis.parse("2K"), UsageError);
  EXPECT_THROW(axis.parse("eight"), UsageError);
  for (const char* wrong : {"nan", "inf", "-inf", "1e400", "", "abc", "8,nan"}) {
    try {
      axis.parse(wrong);
      ADD_FAILURE() << wrong << " is accepted";
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("axis bytes"), std::string::npos) << error.what();
    }
  }
}

TEST(Axis, ANumberWithoutEndIsCalledSo) {
  const Benchmark benchmark = Benchmark("test/axis", measure_nothing);
  try {
    benchmark.find_axis("ranks")->parse("0");
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "axis ranks is 0; allowed: 1 or more");
  }
}

TEST(Axis, ParsesDecimalNumbersWithinItsRange) {
  const Benchmark benchmark =
      Benchmark("test/axis", measure_nothing)
          .axis_number("clip", {.minimum = 0, .maximum = 10, .defaults = {0}});
  const Axis& axis = *benchmark.find_axis("clip");
  EXPECT_EQ(axis.parse("0,0.5,1e1"), (std::vector<Value>{0.0, 0.5, 10.0}));
  EXPECT_EQ(axis.parse("1.0,1,-0,0").size(), 2U);
  EXPECT_EQ(to_text(axis.parse("1.0").at(0)), "1") << "its text in a key";
  EXPECT_EQ(to_text(axis.parse("0.25").at(0)), "0.25");
  for (const char* wrong :
       {"10.5", "-1", "nan", "inf", "-inf", "1e400", "1K", "0x1", "", "1,", "one"})
    EXPECT_THROW(axis.parse(wrong), UsageError) << wrong;
}

TEST(Axis, DropsRepeatedValues) {
  const Benchmark benchmark =
      Benchmark("test/axis", measure_nothing)
          .axis_integer("bytes", {.minimum = 1, .maximum = 1024, .defaults = "8"});
  EXPECT_EQ(benchmark.find_axis("bytes")->parse("8,8,4:8:*2").size(), 2U);
}

TEST(Axis, NamesTheNearestText) {
  const Benchmark benchmark =
      Benchmark("test/axis", measure_nothing).axis("layout", {.values = {"nchw", "nhwc"}});
  const Axis& axis = *benchmark.find_axis("layout");
  EXPECT_EQ(axis.parse("nhwc"), (std::vector<Value>{std::string("nhwc")}));
  try {
    axis.parse("nhcw");
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("nhwc"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("layout"), std::string::npos) << error.what();
  }
}

TEST(Axis, ParsesBooleans) {
  const Benchmark benchmark =
      Benchmark("test/axis", measure_nothing).axis_boolean("in_place", {.defaults = {false}});
  EXPECT_EQ(benchmark.find_axis("in_place")->parse("true,false"),
            (std::vector<Value>{true, false}));
  EXPECT_THROW(benchmark.find_axis("in_place")->parse("1"), UsageError);
}

TEST(Axis, RanksSweepDoublesFromTheMinimumAndEndsWithAll) {
  const Benchmark sweep = Benchmark("test/axis", measure_nothing).ranks(2, 2);
  const auto counts = [&](int all) {
    std::vector<std::int64_t> result;
    for (const Value& value : sweep.find_axis("ranks")->defaults({all, 1, false}))
      result.push_back(std::get<std::int64_t>(value));
    return result;
  };
  EXPECT_EQ(counts(8), (std::vector<std::int64_t>{2, 4, 8}));
  EXPECT_EQ(counts(6), (std::vector<std::int64_t>{2, 4, 6}));
  EXPECT_EQ(counts(1), (std::vector<std::int64_t>{2}));
}

TEST(Registry, RefusesBadAndTakenNames) {
  Registry registry;
  registry.add(Benchmark("micro/one", measure_nothing));
  EXPECT_THROW(registry.add(Benchmark("micro/one", measure_nothing)), Error);
  for (const char* name :
       {"one", "micro/One", "micro/one/two", "micro/", "/one", "micro/one-two"}) {
    EXPECT_THROW(registry.add(Benchmark(name, measure_nothing)), Error) << name;
  }
}

TEST(Registry, IteratesByName) {
  Registry registry;
  registry.add(Benchmark("micro/b", measure_nothing));
  registry.add(Benchmark("imaging/a", measure_nothing));
  registry.add(Benchmark("micro/a", measure_nothing));
  std::vector<std::string> names;
  for (const Benchmark* benchmark : registry.all()) names.push_back(benchmark->name());
  EXPECT_EQ(names, (std::vector<std::string>{"imaging/a", "micro/a", "micro/b"}));
}

TEST(Axis, HasTheSharedSentenceOrItsOwn) {
  const Benchmark shared =
      Benchmark("test/axis", measure_nothing).axis_integer("bytes", {.defaults = "8"});
  EXPECT_EQ(shared.find_axis("bytes")->doc, "Message size as OSU defines it for the operation");
  EXPECT_EQ(shared.find_axis("bytes")->unit, "By");
  const Benchmark own =
      Benchmark("test/axis", measure_nothing)
          .axis_integer("bytes", {.defaults = "8", .doc = "Size", .unit = "KiBy"});
  EXPECT_EQ(own.find_axis("bytes")->doc, "Size");
  EXPECT_EQ(own.find_axis("bytes")->unit, "KiBy");
}

TEST(Axis, WithoutASentenceIsRefused) {
  try {
    Benchmark("test/axis", measure_nothing).axis_boolean("unheard_of", {.defaults = {false}});
    FAIL() << "an axis without a sentence was taken";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("test/axis: axis unheard_of has no sentence"));
  }
}

TEST(Axis, HasTheDefaultsOfTheJob) {
  const Benchmark benchmark =
      Benchmark("test/axis", measure_nothing)
          .axis("layout", {.values = {"nchw", "nhwc"}, .defaults_with_gpu = {"nhwc"}})
          .axis_integer("copies", {.default_is_ranks = true, .doc = "Copies", .unit = "1"});
  const PlanContext plain{.ranks = 3}, gpu{.ranks = 3, .cuda_usable = true};
  const Axis *layout = benchmark.find_axis("layout"), *copies = benchmark.find_axis("copies");
  EXPECT_EQ(layout->defaults(plain), (std::vector<Value>{"nchw", "nhwc"}));
  EXPECT_EQ(layout->defaults(gpu), (std::vector<Value>{"nhwc"}));
  EXPECT_EQ(copies->defaults(plain), (std::vector<Value>{std::int64_t{3}}));
}

TEST(BooleanAxis, HasBothValuesByDefault) {
  const Benchmark benchmark =
      Benchmark("test/axis", measure_nothing).axis_boolean("in_place", {.doc = "Of one buffer"});
  EXPECT_EQ(benchmark.find_axis("in_place")->defaults({1, 1, false}),
            (std::vector<Value>{false, true}));
}

}  // namespace
}  // namespace scalemark
