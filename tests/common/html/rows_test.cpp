// SPDX-License-Identifier: Apache-2.0
// Cases of several runs joined into rows, and rows into groups.
#include "common/html/rows.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/common/compare/synthetic.hpp"
#include "tests/common/html/extract_run.hpp"

namespace scalemark::html {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(Rows, TakeTheGeometricMeanOfRunsAndTheirRange) {
  const std::vector<RunExtract> runs = {
      extract(test::run_of("one", {test::measured("micro/a", 8, {1000, 1000, 1000})})),
      extract(test::run_of("two", {test::measured("micro/a", 8, {4000, 4000, 4000})}))};
  const std::vector<Row> rows = join_rows(runs);
  ASSERT_EQ(rows.size(), 1U);
  const RowValue value = rows[0].value("latency");
  EXPECT_NEAR(value.value, 2e-6, 1e-15);
  EXPECT_NEAR(value.low, 1e-6, 1e-15);
  EXPECT_NEAR(value.high, 4e-6, 1e-15);
  EXPECT_EQ(value.n, 6U);
  EXPECT_EQ(value.runs, 2U);
  EXPECT_EQ(rows[0].value("nothing").runs, 0U);
}

TEST(Rows, KeepRunsApartThatLackACase) {
  const std::vector<RunExtract> runs = {
      extract(test::run_of("one", {test::unmeasured("micro/a", 8, Status::failed, "broke")})),
      extract(test::run_of(
          "two", {test::measured("micro/b", 8, {1}), test::measured("micro/a", 8, {1})}))};
  const std::vector<Row> rows = join_rows(runs);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].name, "micro/a");
  EXPECT_TRUE(rows[0].ok());
  EXPECT_EQ(rows[0].sample().status, Status::ok);
  EXPECT_THAT(rows[1].run_numbers, ElementsAre(1U));
}

TEST(Rows, TakeNoNumbersFromCasesThatFailed) {
  CaseResult wrong = test::measured("micro/a", 8, {4000, 4000, 4000});
  wrong.verification.wrong = 3;
  const std::vector<RunExtract> runs = {
      extract(test::run_of("one", {test::measured("micro/a", 8, {1000, 1000, 1000})})),
      extract(test::run_of("two", {wrong}))};
  const RowValue value = join_rows(runs)[0].value("latency");
  EXPECT_EQ(value.runs, 1U);
  EXPECT_NEAR(value.value, 1e-6, 1e-15);
}

TEST(Rows, CountAKeyOnceARun) {
  const CaseResult one = test::measured("micro/a", 8, {1000});
  const std::vector<RunExtract> runs = {extract(test::run_of("one", {one, one}))};
  ASSERT_EQ(join_rows(runs).size(), 1U);
  EXPECT_EQ(join_rows(runs)[0].value("latency").runs, 1U);
}

TEST(ByNumbers, OrdersThemBySize) {
  std::vector<std::string> labels = {"ranks=16 x", "ranks=2 x", "b",
                                     "ranks=10 x", "ranks=2",   "a12"};
  std::ranges::sort(labels, ByNumbers());
  EXPECT_THAT(labels, ElementsAre("a12", "b", "ranks=2", "ranks=2 x", "ranks=10 x", "ranks=16 x"));
}

TEST(Groups, TellWhatIsEqualFromWhatDiffers) {
  const std::vector<RunExtract> runs = {extract(
      test::run_of("one", {test::measured("micro/a", 8, {1}), test::measured("micro/a", 16, {1}),
                           test::measured("micro/b", 8, {1})}))};
  const std::vector<Row> rows = join_rows(runs);
  const std::vector<Group> groups = group_rows(rows);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_THAT(groups[0].constants, ElementsAre(Pair("ranks", "2")));
  EXPECT_THAT(groups[0].axes, ElementsAre("bytes"));
  EXPECT_EQ(groups[0].label(*groups[0].rows[1]), "bytes=16");
  EXPECT_EQ(groups[0].label(*groups[0].rows[1], "bytes"), "");
  EXPECT_EQ(groups[1].constants_text(), "bytes=8 ranks=2");
}

}  // namespace
}  // namespace scalemark::html
