// SPDX-License-Identifier: Apache-2.0
// The split expression, piece by piece; the pieces were worked out by hand from its definition.
#include "suites/llm/text/splitter.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scalemark::llm {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> pieces(const std::string& text) {
  Splitter splitter;
  std::vector<std::string> result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = splitter.end_of_piece(text, at);
    result.push_back(text.substr(at, end - at));
    at = end;
  }
  return result;
}

TEST(Splitter, Words) {
  EXPECT_THAT(pieces("Hello  world"), ElementsAre("Hello", " ", " world"));
  EXPECT_THAT(pieces("a,b (c"), ElementsAre("a", ",b", " (", "c"));
  EXPECT_THAT(pieces("na\xC3\xAFve \xC3\xA9t\xC3\xA9"),
              ElementsAre("na\xC3\xAFve", " \xC3\xA9t\xC3\xA9"));
  EXPECT_THAT(pieces("e\xCC\x81x"), ElementsAre("e", "\xCC\x81x"))
      << "a combining mark is no letter";
  EXPECT_THAT(pieces("tab\tword\nnext"), ElementsAre("tab", "\tword", "\n", "next"));
}

TEST(Splitter, Contractions) {
  EXPECT_THAT(pieces("it'stuff"), ElementsAre("it", "'s", "tuff"));
  EXPECT_THAT(pieces("IT'STUFF"), ElementsAre("IT", "'S", "TUFF"));
  EXPECT_THAT(pieces("we'LLx'rex'd'mx"),
              ElementsAre("we", "'LL", "x", "'re", "x", "'d", "'m", "x"));
  EXPECT_THAT(pieces("'\xC5\xBFx"), ElementsAre("'\xC5\xBF", "x")) << "the long s is an s";
  EXPECT_THAT(pieces("'ax"), ElementsAre("'ax"));
}

TEST(Splitter, Numbers) {
  EXPECT_THAT(pieces("1234567"), ElementsAre("123", "456", "7"));
  EXPECT_THAT(pieces(" 12ab"), ElementsAre(" ", "12", "ab"));
  EXPECT_THAT(pieces("\xC2\xB2\xE2\x85\xA7\xD9\xA1\xD9\xA2"),
              ElementsAre("\xC2\xB2\xE2\x85\xA7\xD9\xA1", "\xD9\xA2"));
}

TEST(Splitter, BlanksAndLines) {
  EXPECT_THAT(pieces("   x"), ElementsAre("  ", " x"));
  EXPECT_THAT(pieces("   1"), ElementsAre("  ", " ", "1"));
  EXPECT_THAT(pieces("x   "), ElementsAre("x", "   "));
  EXPECT_THAT(pieces(" \n \n  y"), ElementsAre(" \n \n", " ", " y"));
  EXPECT_THAT(pieces("a.\r\n\r\nb"), ElementsAre("a", ".\r\n\r\n", "b"));
  EXPECT_THAT(pieces(" ...\n!"), ElementsAre(" ...\n", "!"));
  EXPECT_THAT(pieces("\xC2\xA0\xE2\x80\x83x"), ElementsAre("\xC2\xA0", "\xE2\x80\x83x"));
}

/// U+180E lost its place among the blanks in Unicode 6.3, and U+1C never had one.
TEST(Splitter, WhatIsNoBlank) {
  EXPECT_THAT(pieces(" \xE1\xA0\x8E!"), ElementsAre(" \xE1\xA0\x8E!"));
  EXPECT_THAT(pieces(" \x1C!"), ElementsAre(" \x1C!"));
}

/// Letters and numbers of Unicode 15 and 16, whatever PCRE2 knows: U+1C89, U+31350, U+1D2C0.
TEST(Splitter, YoungLettersAndNumbers) {
  EXPECT_THAT(pieces("a\xE1\xB2\x89z \xF0\xB1\x8D\x90"),
              ElementsAre("a\xE1\xB2\x89z", " \xF0\xB1\x8D\x90"));
  const std::string kaktovik = "\xF0\x9D\x8B\x80";
  EXPECT_THAT(pieces(kaktovik + kaktovik + kaktovik + kaktovik + "a"),
              ElementsAre(kaktovik + kaktovik + kaktovik, kaktovik, "a"));
}

}  // namespace
}  // namespace scalemark::llm
