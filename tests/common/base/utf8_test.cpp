// SPDX-License-Identifier: Apache-2.0
// UTF-8: what is valid, and how the rest is repaired.
#include "common/base/utf8.hpp"

#include <string>

#include <gtest/gtest.h>

namespace scalemark::text {
namespace {

TEST(Utf8, TellsValidTextFromOther) {
  for (const char* text :
       {"", "plain", "\xC3\xA9", "\xE2\x82\xAC", "\xED\x9F\xBF", "\xEE\x80\x80", "\xF0\x9F\x98\x80",
        "\xF4\x8F\xBF\xBF", "a long ASCII text and \xC3\xA9"})
    EXPECT_TRUE(is_utf8(text)) << text;
  for (const char* text :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xC3", "\xE2\x82", "12345678\xE2\x82"})
    EXPECT_FALSE(is_utf8(text)) << text;
}

/// As Python 3 decodes with errors="replace" and encodes again.
TEST(Utf8, RepairsAsPythonDoes) {
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(repaired_utf8("a\x80z"), "a" + mark + "z");
  EXPECT_EQ(repaired_utf8("\xE2\x82"), mark) << "the beginning of one character is one mark";
  EXPECT_EQ(repaired_utf8("\xE2\x82x"), mark + "x");
  EXPECT_EQ(repaired_utf8("\xF0\x9F\x98"), mark);
  EXPECT_EQ(repaired_utf8("\xED\xA0\x80"), mark + mark + mark) << "a surrogate is three";
  EXPECT_EQ(repaired_utf8("\xC0\xAF"), mark + mark);
  EXPECT_EQ(repaired_utf8("\xF4\x90\x80\x80"), mark + mark + mark + mark);
  EXPECT_EQ(repaired_utf8("\xC3\xA9\xC3"), "\xC3\xA9" + mark);
}

}  // namespace
}  // namespace scalemark::text
