// SPDX-License-Identifier: Apache-2.0
// Keys that are read back are the keys that were made.
#include "common/formats/case_key.hpp"

#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace scalemark::formats {
namespace {

TEST(CaseOfKey, IsTheInverseOfMakeKey) {
  const Point params = {{"bytes", std::int64_t{8}},
                        {"ratio", 0.5},
                        {"packed", true},
                        {"name", std::string("two words %")},
                        {"text", std::string("007")},
                        {"negative", std::int64_t{-3}}};
  const std::string key = make_key("micro/allreduce", params);
  const CaseResult result = case_of_key(key, "here");
  EXPECT_EQ(result.name, "micro/allreduce");
  EXPECT_EQ(result.params, params);
  EXPECT_EQ(result.key, key);
}

TEST(CaseOfKey, SortsThePairs) {
  EXPECT_EQ(case_of_key("  a/b z=1   c=x ", "here").key, "a/b c=x z=1");
}

TEST(CaseOfKey, TakesOtherTextsAsNames) {
  for (const char* key : {"BM_sort 100", "x A=1", "case = 3"}) {
    const CaseResult result = case_of_key(key, "here");
    EXPECT_EQ(result.key, key);
    EXPECT_TRUE(result.params.empty());
  }
}

TEST(CaseOfKey, RefusesWhatIsNone) {
  for (const std::string& key :
       {std::string(), std::string("  "), std::string("a b=1 b=2"), std::string(1001, 'x')})
    EXPECT_THROW(case_of_key(key, "here"), InputError) << key;
}

TEST(ValueOfText, EscapesAtTheEndStay) {
  EXPECT_EQ(value_of_text("a%20b"), Value(std::string("a b")));
  for (const char* text : {"50%", "%2", "%zz"})
    EXPECT_EQ(value_of_text(text), Value(std::string(text)));
}

}  // namespace
}  // namespace scalemark::formats
