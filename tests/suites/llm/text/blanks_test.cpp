// SPDX-License-Identifier: Apache-2.0
// White space in UTF-8, and the cuts of long texts.
#include "suites/llm/text/blanks.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace scalemark::llm {
namespace {

TEST(Blanks, StripsWhatPythonCallsBlank) {
  EXPECT_EQ(stripped(" \t\r\n\v\f text \n"), "text");
  EXPECT_EQ(stripped("\x1C\x1D\x1E\x1Ftext\x1F"), "text");
  EXPECT_EQ(stripped("\xC2\xA0\xE3\x80\x80text\xE2\x80\x83\xC2\x85"), "text");
  EXPECT_EQ(stripped("\xE2\x80\x8Btext\xEF\xBB\xBF"), "\xE2\x80\x8Btext\xEF\xBB\xBF")
      << "zero width is no blank";
  EXPECT_EQ(stripped(" \xE2\x80\x89 "), "");
  EXPECT_EQ(stripped(""), "");
  EXPECT_EQ(stripped("\x80 \xC2"), "\x80 \xC2") << "what is no text is no blank";
  EXPECT_EQ(stripped("a\xE2\x80\x83"), "a");
}

std::vector<std::size_t> cuts(std::string_view text) {
  std::vector<std::size_t> lengths;
  std::size_t passed = 0;
  while (!text.empty()) {
    lengths.push_back(first_cut(text, passed));
    text.remove_prefix(lengths.back());
  }
  return lengths;
}

TEST(Blanks, CutsLongRunsOfEitherKind) {
  using Lengths = std::vector<std::size_t>;
  EXPECT_EQ(cuts(std::string(25'000, 'a')), Lengths{25'000});
  EXPECT_EQ(cuts(std::string(25'001, 'a')), (Lengths{25'000, 1}));
  EXPECT_EQ(cuts(std::string(50'007, ' ')), (Lengths{25'000, 25'000, 7}));
  EXPECT_EQ(cuts(std::string(20'000, 'a') + std::string(20'000, ' ') + std::string(20'000, 'b')),
            Lengths{60'000});
  EXPECT_EQ(cuts("x " + std::string(25'001, 'a') + " y"), (Lengths{25'002, 3}));
  std::string two_bytes;
  for (int i = 0; i < 25'001; ++i) two_bytes += "\xC3\xA9";
  EXPECT_EQ(cuts(two_bytes), (Lengths{50'000, 2})) << "code points are counted, not bytes";
}

TEST(Blanks, CutsEach400000CodePoints) {
  std::string text;
  while (text.size() < 900'000) text += "word ";
  EXPECT_EQ(cuts(text), (std::vector<std::size_t>{400'000, 400'000, 100'000}));
  const std::string run = std::string(399'999, ' ');
  EXPECT_EQ(cuts(run + "ab").back(), 1U) << "b begins a new text";
  std::size_t all = 0;
  for (const std::size_t length : cuts(run + "ab")) {
    EXPECT_GT(length, 0U);
    all += length;
  }
  EXPECT_EQ(all, 400'001U);
}

}  // namespace
}  // namespace scalemark::llm
