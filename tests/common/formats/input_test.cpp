// SPDX-License-Identifier: Apache-2.0
// Foreign text: limits of lines and of JSON, and times of day.
#include "common/formats/input.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/formats/utc.hpp"
#include "tests/support/temp_dir.hpp"

namespace scalemark::formats {
namespace {

TEST(ParseJson, RefusesDepthDuplicatesAndBrokenText) {
  EXPECT_EQ(parse_json(R"({"a": [1, {"a": 2}]})", "here")["a"][1]["a"], 2);
  EXPECT_NO_THROW(parse_json(std::string(16, '[') + std::string(16, ']'), "here"));
  for (const std::string& text :
       {std::string(18, '[') + std::string(18, ']'), std::string(100'000, '['),
        std::string(R"({"a": 1, "a": 2})"), std::string(R"([{"b": {"a": 1, "c": 1, "a": 2}}])"),
        std::string("{\"a\": \"\xff\"}"), std::string("{} {}"), std::string("1e999"),
        std::string("nan"), std::string()}) {
    try {
      parse_json(text, "here");
      ADD_FAILURE() << text.substr(0, 40);
    } catch (const InputError& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with("here")) << error.what();
    }
  }
}

TEST(Lines, AreCountedLimitedAndWithoutTheirEnds) {
  const test::TempDir folder;
  std::ofstream(folder / "t.txt", std::ios::binary) << "one\r\n\n12345678\n123456789\n";
  Lines lines(folder / "t.txt", 8);
  EXPECT_EQ(lines.next(), "one");
  EXPECT_EQ(lines.next(), "");
  EXPECT_EQ(lines.next(), "12345678");
  EXPECT_TRUE(lines.place().ends_with("t.txt:3")) << lines.place();
  EXPECT_THROW(lines.next(), InputError);
}

TEST(Words, AreWhatStandsBetweenBlanks) {
  EXPECT_EQ(words("  a\tbc  d "), (std::vector<std::string_view>{"a", "bc", "d"}));
  EXPECT_TRUE(words(" \t ").empty());
}

/// `date -u -d 2024-02-29T12:34:56Z +%s` says 1709210096.
TEST(MillisecondsOf, ReadsWhatUtcNowWrites) {
  EXPECT_EQ(milliseconds_of("1970-01-01T00:00:00.000Z"), 0);
  EXPECT_EQ(milliseconds_of("2024-02-29T12:34:56.789Z"), 1709210096789);
  for (const char* text :
       {"", "2023-02-29T00:00:00.000Z", "2024-02-29T12:34:56Z", "2024-13-01T00:00:00.000Z",
        "2024-02-29T12:34:56.789+", "x024-02-29T12:34:56.789Z"})
    EXPECT_FALSE(milliseconds_of(text)) << text;
}

}  // namespace
}  // namespace scalemark::formats
