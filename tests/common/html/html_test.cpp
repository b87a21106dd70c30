// SPDX-License-Identifier: Apache-2.0
// HTML pieces: what comes from a file cannot become anything but text.
#include "common/html/html.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/html/drawing/svg.hpp"
#include "common/html/sections/sections.hpp"

namespace scalemark::html {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::vector<std::string>& hostile() {
  static const std::vector<std::string> texts = {"<script>alert(1)</script>",
                                                 "\"><img src=x onerror=alert(1)>",
                                                 "'/><svg onload=alert(1)>",
                                                 "]]><script>alert(1)</script>",
                                                 "</textarea><script>alert(1)</script>",
                                                 "&lt;b&gt;",
                                                 "\x1b[31mred",
                                                 "a\0b",
                                                 "\xff\xfe",
                                                 "</title></style></svg><iframe>"};
  return texts;
}

TEST(Html, EscapesEverywhere) {
  for (const std::string& text : hostile()) {
    Svg svg(10, 10, text, text);
    svg.text(0, 0, text, "");
    svg.rectangle(0, 0, 1, 1, "f", text);
    const std::string all = text_of(text) + table(text, {{text}}, {{{text}, ""}}) + note(text) +
                            folded(text, "") + svg.str() + legend_entry(0, true, text) +
                            legend_area("f", text) + document(text, "", {{"id", text, ""}}, "");
    for (const char* tag : {"<script", "<img", "<iframe", "<svg on", "<b>", "onerror=alert(1)>",
                            "</textarea", "\x1b", "\xff"})
      EXPECT_THAT(all, Not(HasSubstr(tag))) << text;
    EXPECT_EQ(all.find('\0'), std::string::npos);
  }
}

TEST(Html, JsonToCopyCannotEndItsField) {
  const std::string html = copyable("x", R"({"a":"</textarea><script>&lt;"})");
  EXPECT_THAT(html, HasSubstr(R"({"a":"\u003c/textarea\u003e\u003cscript\u003e\u0026lt;"})"));
}

TEST(Html, ShortensLongText) {
  EXPECT_EQ(text_of("abcdefghij", 6), "ab..ij");
  EXPECT_EQ(text_of(std::string(1 << 20, 'x')).size(), 400U);
  EXPECT_EQ(text_of(std::string(1 << 20, '\xbc')).size(), 400U);
}

TEST(Html, AllowsNothingToBeLoaded) {
  EXPECT_THAT(
      document("t", "", {}, ""),
      HasSubstr("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">"));
}

TEST(Svg, WritesShortNumbers) {
  EXPECT_EQ(px(12.04), "12");
  EXPECT_EQ(px(12.06), "12.1");
  EXPECT_EQ(px(-0.01), "0");
  EXPECT_EQ(px(1e300), "0");
}

}  // namespace
}  // namespace scalemark::html
