// SPDX-License-Identifier: Apache-2.0
// JSON that is not trusted: the same values as json::parse(), limits, and growth of the time.
#include "common/base/limited_json.hpp"

#include <gtest/gtest.h>

#include "tests/support/growth.hpp"

namespace scalemark {
namespace {

using nlohmann::json;

constexpr JsonLimits kLimits{.depth = 4, .values = 12};

JsonRefused::Why why(const std::string& text) {
  try {
    parse_limited_json(text, kLimits);
  } catch (const JsonRefused& refused) {
    return refused.why();
  }
  throw std::runtime_error(text + " was taken");
}

TEST(LimitedJson, GivesWhatTheLibraryGives) {
  for (const char* text : {R"({"a":[1,-2,3.5,null,true,"t\u00e9"],"b":{"c":{}},"d":[[]]})", "[]",
                           "{}", "7", "\"x\"", " [ 18446744073709551615 , -1 ] ", "1e308", "null"})
    EXPECT_EQ(parse_limited_json(text, kLimits), json::parse(text)) << text;
}

TEST(LimitedJson, NamesTheSameMistakesAsTheLibrary) {
  for (const char* text : {"", "{", "[1,]", "{} {}", "1e999", "nan", "{\"a\":\"\xff\"}", "[1 2]"}) {
    std::string expected;
    try {
      const json taken = json::parse(text);
      ADD_FAILURE() << taken;
    } catch (const json::exception& error) {
      expected = error.what();
    }
    try {
      parse_limited_json(text, kLimits);
      ADD_FAILURE() << text;
    } catch (const json::exception& error) {
      EXPECT_EQ(error.what(), expected);
    }
  }
}

TEST(LimitedJson, RefusesWhatIsBeyondALimit) {
  EXPECT_NO_THROW(parse_limited_json("[[[[1]]]]", kLimits));
  EXPECT_EQ(why("[[[[[1]]]]]"), JsonRefused::Why::depth);
  EXPECT_EQ(why(std::string(100'000, '[')), JsonRefused::Why::depth);
  EXPECT_NO_THROW(parse_limited_json("[1,1,1,1,1,1,1,1,1,1,1]", kLimits));
  EXPECT_EQ(why("[1,1,1,1,1,1,1,1,1,1,1,1]"), JsonRefused::Why::values);
  EXPECT_EQ(why(R"([{"b":{"a":1,"c":1,"a":2}}])"), JsonRefused::Why::repeated);
}

TEST(LimitedJson, TakesTimeInProportionToTheText) {
  for (const char* one : {"{}", "[]", "1", R"({"a":{}})"}) {
    const double growth = test::growth(5'000, [&](std::size_t n) {
      std::string list = "[", object = "{";
      for (std::size_t i = 0; i < n; ++i) {
        const char* comma = i == 0 ? "" : ",";
        list += std::string(comma) + one;
        object += std::string(comma) + "\"" + std::to_string(i) + "\":" + one;
      }
      const JsonLimits limits{.depth = 4, .values = 10'000'000};
      EXPECT_EQ(parse_limited_json(list + "]", limits).size(), n);
      EXPECT_EQ(parse_limited_json(object + "}", limits).size(), n);
    });
    EXPECT_LT(growth, test::kMostGrowth) << one;
  }
}

}  // namespace
}  // namespace scalemark
