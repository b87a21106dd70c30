// SPDX-License-Identifier: Apache-2.0
// Tables whose rows arrive interleaved.
#include "common/print/planned_tables.hpp"

#include <sstream>

#include <gtest/gtest.h>

#include "tests/common/compare/synthetic.hpp"

namespace scalemark::print {
namespace {

TEST(KeyWithout, TakesAxesOut) {
  EXPECT_EQ(key_without("micro/put bytes=8 kilobytes=1 ranks=2", {"bytes"}),
            "micro/put kilobytes=1 ranks=2");
  EXPECT_EQ(key_without("micro/put bytes=8 ranks=2", {"ranks", "bytes"}), "micro/put");
  EXPECT_EQ(key_without("bytes", {"bytes"}), "bytes");
  EXPECT_EQ(key_words("micro/put bytes=8 kilobytes=1 ranks=2", {"ranks", "bytes"}),
            "bytes=8 ranks=2");
  EXPECT_EQ(key_words("bytes", {"bytes"}), "");
}

TEST(PlannedTables, KnowTheLastCaseOfATable) {
  const CaseResult one = test::measured("micro/put", 8, {1}),
                   two = test::measured("micro/put", 16, {1});
  const CaseResult other = test::measured("micro/get", 8, {1});
  PlannedTables tables({"bytes"});
  tables.begin(test::run_of("u", {one, other, two}));
  EXPECT_EQ(tables.table_of(one), "micro/put ranks=2");
  EXPECT_FALSE(tables.case_done(tables.table_of(one)));
  EXPECT_TRUE(tables.case_done(tables.table_of(other)));
  EXPECT_TRUE(tables.case_done(tables.table_of(two)));
  EXPECT_TRUE(tables.case_done("micro/never planned"));
}

TEST(TableQueue, PrintsOneTableAsItComesAndTheNextBehindIt) {
  std::ostringstream out;
  TableQueue queue(out);
  queue.add("a", "a1 ");
  EXPECT_EQ(out.str(), "a1 ");
  queue.add("b", "b1 ");
  queue.add("c", "c1 ");
  queue.add("d", "d1 ");
  queue.add("a", "a2 ");
  queue.add("b", "b2 ");
  queue.finish("b");
  EXPECT_EQ(out.str(), "a1 a2 ");
  queue.finish("a");  // b is complete, c is next
  EXPECT_EQ(out.str(), "a1 a2 b1 b2 c1 ");
  queue.add("d", "d2 ");
  queue.add("c", "c2 ");
  EXPECT_EQ(out.str(), "a1 a2 b1 b2 c1 c2 ");
  queue.finish();
  EXPECT_EQ(out.str(), "a1 a2 b1 b2 c1 c2 d1 d2 ");
}

}  // namespace
}  // namespace scalemark::print
