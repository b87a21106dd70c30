// SPDX-License-Identifier: Apache-2.0
// Tables that fit a terminal.
#include "common/report/text_table.hpp"

#include <sstream>

#include <gtest/gtest.h>

#include "common/base/text.hpp"

namespace scalemark::report {
namespace {

TEST(TextTable, CountsCharactersNotBytes) {
  EXPECT_EQ(columns_of("\xe2\x96\x81\xe2\x96\x88x"), 3U);
}

TEST(TextTable, FitsTheWidthByShrinkingNames) {
  const std::vector<TextColumn> columns = {{"n", true}, {"case", false, true}, {"metric"}};
  const std::vector<TextRow> rows = {
      {{"1", "micro/allreduce backend=mpi bytes=1048576 ranks=2", "latency"}, ""},
      {{"22", "short", "time"}, "31"}};
  for (const std::size_t width : {0, 40, 60, 200}) {
    std::ostringstream out;
    print_text_table(columns, rows, width, out);
    const std::vector<std::string> lines = text::split(out.str(), '\n');
    ASSERT_EQ(lines.size(), 4U);  // a header, two rows, what follows the last line end
    EXPECT_LE(columns_of(lines[1]), width == 0 ? 200 : width);
    EXPECT_EQ(lines[1].find("latency"), lines[0].find("metric"));
    EXPECT_EQ(lines[2].substr(0, 11), "\x1b[31m22\x1b[0m");
  }
  std::ostringstream out;
  print_text_table(columns, rows, 0, out);
  EXPECT_NE(out.str().find("bytes=1048576 ranks=2"), std::string::npos);
}

}  // namespace
}  // namespace scalemark::report
