// SPDX-License-Identifier: Apache-2.0
// Tables fitted to a terminal.
#include "common/text/table.hpp"

#include <sstream>

#include <gtest/gtest.h>

#include "common/base/text.hpp"
#include "common/text/fit.hpp"

namespace scalemark::text {
namespace {

TEST(TextTable, CountsCharactersNotBytes) {
  EXPECT_EQ(columns_of("\xe2\x96\x81\xe2\x96\x88x"), 3U);
}

std::vector<std::string> printed(const std::vector<TextColumn>& columns,
                                 const std::vector<TextRow>& rows, std::size_t width) {
  std::ostringstream out;
  print_text_table(columns, rows, width, out);
  std::vector<std::string> lines = text::split(out.str(), '\n');
  lines.pop_back();
  return lines;
}

const std::vector<TextColumn> kColumns = {
    {"n", true}, {"case", false, true}, {"runs", true, false, true}, {"flags", false, false, true}};

TEST(TextTable, PrintsAllThatFits) {
  const std::vector<TextRow> rows = {{{"1", "x b=1", "3", "f"}, ""},
                                     {{"22", "x b=20", "3", ""}, "31"}};
  const std::vector<std::string> want = {" n  case    runs  flags", " 1  x b=1      3  f",
                                         "\x1b[31m22\x1b[0m  x b=20     3"};
  EXPECT_EQ(printed(kColumns, rows, 0), want);
  EXPECT_EQ(printed(kColumns, rows, 23), want);
}

TEST(TextTable, PutsWhatAllNamesShareIntoTheTitle) {
  const std::vector<TextRow> rows = {{{"1", "x b=1", "3", "f"}, ""},
                                     {{"22", "x b=20", "3", ""}, ""}};
  const std::vector<std::string> want = {"x", " n  case  runs  flags", " 1  b=1      3  f",
                                         "22  b=20     3"};
  EXPECT_EQ(printed(kColumns, rows, 22), want);
}

TEST(TextTable, SetsColumnsAsideTheLastFirst) {
  const std::vector<TextRow> rows = {{{"1", "x b=1", "3", "f"}, ""},
                                     {{"22", "x b=20", "3", ""}, ""}};
  EXPECT_EQ(printed(kColumns, rows, 20),
            (std::vector<std::string>{"x", " n  case  runs", " 1  b=1      3", "    flags: f",
                                      "22  b=20     3"}));
  EXPECT_EQ(printed(kColumns, rows, 9),
            (std::vector<std::string>{"x  (runs: 3)", " n  case", " 1  b=1", "    flags: f",
                                      "22  b=20"}));
}

TEST(TextTable, CutsNamesOnlyWhereTheyStayApart) {
  const std::string head = "a_rather_long_name_of_a_case", tail = "_and_its_rather_long_end";
  const std::vector<TextColumn> columns = {{"n", true}, {"case", false, true}};
  EXPECT_EQ(
      printed(columns, {{{"1", head + tail}, ""}, {{"2", "x"}, ""}}, 40),
      (std::vector<std::string>{"n  case", "1  a_rather_long_name..s_rather_long_end", "2  x"}));
  // These two names differ only in the part that would be cut.
  EXPECT_EQ(printed(columns, {{{"1", head + "1" + tail}, ""}, {{"2", head + "2" + tail}, ""}}, 40),
            (std::vector<std::string>{"n", head + "1" + tail, "1", head + "2" + tail, "2"}));
  // Names are not cut to less than 30 characters.
  EXPECT_EQ(printed(columns, {{{"1", head + tail}, ""}, {{"2", "x"}, ""}}, 32),
            (std::vector<std::string>{"n", head + tail, "1", "x", "2"}));
}

TEST(TextTable, WrapsLinesAtBlanks) {
  EXPECT_EQ(wrapped("one two three\n  four five six\n", 9),
            "one two\n    three\n  four\n    five\n    six\n");
  EXPECT_EQ(wrapped("\x1b[31mone two\x1b[0m", 7), "\x1b[31mone two\x1b[0m");
  EXPECT_EQ(wrapped("a_word_longer_than_a_line x", 9), "a_word_longer_than_a_line\n    x");
  EXPECT_EQ(wrapped("one two three", 0), "one two three");
}

}  // namespace
}  // namespace scalemark::text
