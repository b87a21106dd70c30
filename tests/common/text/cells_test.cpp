// SPDX-License-Identifier: Apache-2.0
// Escaping of text that would act on the terminal or document that shows it.
#include "common/text/cells.hpp"

#include <gtest/gtest.h>

namespace scalemark::text {
namespace {

// Sets the window title, clears the screen, an 8-bit CSI, a line break, and a right-to-left
// override.
constexpr std::string_view kControls =
    "a\x1B]0;t\a\x1B[2J\xC2\x9B"
    "31m\r\nRESULT\xE2\x80\xAE"
    "b\xFF";
constexpr std::string_view kCleaned = "a?]0;t??[2J?31m??RESULT?b?";

TEST(Cells, ControlCharactersReachNoFormat) {
  EXPECT_EQ(csv_cell(kControls), kCleaned);
  EXPECT_EQ(json_text(kControls).get<std::string>(), kCleaned);
  EXPECT_EQ(html_text(kControls), kCleaned);
  EXPECT_EQ(markdown_text(kControls), "a?\\]0;t??\\[2J?31m??RESULT?b?");
}

TEST(Cells, CsvHasNoFormulas) {
  EXPECT_EQ(csv_cell("=HYPERLINK(\"http://x\",\"y\")"),
            "\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\"");
  for (const char* text : {"=1", "+1", "-1", "@SUM(A1)"})
    EXPECT_EQ(csv_cell(text), std::string("'") + text);
  EXPECT_EQ(csv_cell("\t=1"), "?=1");
  EXPECT_EQ(csv_cell("a=1,b"), "\"a=1,b\"");
}

TEST(Cells, HtmlIsText) {
  EXPECT_EQ(html_text("<script>alert(1)</script>"), "&#60;script&#62;alert(1)&#60;/script&#62;");
  EXPECT_EQ(html_text("x\" onload='y' &amp;"), "x&#34; onload=&#39;y&#39; &#38;amp;");
  EXPECT_EQ(html_text("\xC3\xA9"), "\xC3\xA9");
}

TEST(Cells, MarkdownIsText) {
  EXPECT_EQ(markdown_text("[a](http://x) <b> @all #1 |"),
            "\\[a\\](http://x) &#60;b&#62; &#64;all &#35;1 \\|");
}

}  // namespace
}  // namespace scalemark::text
