// SPDX-License-Identifier: Apache-2.0
// How table timeline is read, also where it is damaged.
#include "common/analysis/timeline.hpp"

#include <gtest/gtest.h>

namespace scalemark::analysis {
namespace {

using Counts = std::vector<std::uint64_t>;

Table example() {
  return {{{"rank", "", Counts{1, 0, 1}},
           {"what", "", std::vector<std::string>{"epoch", "epoch_start_pause", "test"}},
           {"index", "", Counts{3, 1, 3}},
           {"t", "ns", Counts{100, 50, 220}},
           {"duration", "ns", Counts{120, 7, 30}}}};
}

CaseResult with(Table table) {
  CaseResult result;
  result.tables[kTimelineTable] = std::move(table);
  return result;
}

TEST(Timeline, IsOrderedByRank) {
  const auto lines = timelines(with(example()));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].rank, 0U);
  ASSERT_EQ(lines[1].entries.size(), 2U);
  EXPECT_EQ(lines[1].entries[1].what, kTestKind);
  EXPECT_EQ(lines[1].entries[1].from, 220U);
  EXPECT_EQ(lines[1].entries[1].duration, 30U);
  EXPECT_EQ(describe(lines[0].entries[0]), "pause before epoch 1");
  EXPECT_EQ(describe(lines[1].entries[0]), "epoch 3");
  EXPECT_EQ(describe(lines[1].entries[1]), "test after epoch 3");
}

TEST(Timeline, IsEmptyWhereTheTableIsMissingOrDamaged) {
  EXPECT_TRUE(timelines(CaseResult()).empty());
  for (std::size_t column = 0; column < 5; ++column) {
    Table shorter = example(), other = example(), fewer = example();
    std::visit([](auto& values) { values.pop_back(); }, shorter.columns[column].values);
    other.columns[column].values = std::vector<double>{1, 2, 3};
    fewer.columns.erase(fewer.columns.begin() + static_cast<std::ptrdiff_t>(column));
    EXPECT_TRUE(timelines(with(shorter)).empty()) << column;
    EXPECT_TRUE(timelines(with(other)).empty()) << column;
    EXPECT_TRUE(timelines(with(fewer)).empty()) << column;
  }
}

}  // namespace
}  // namespace scalemark::analysis
