// SPDX-License-Identifier: Apache-2.0
// Tables one below the other.
#include "common/result/table_rows.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scalemark {
namespace {

using ::testing::ElementsAre;
using Counts = std::vector<std::uint64_t>;
using Reals = std::vector<double>;
using Texts = std::vector<std::string>;

template <class Values>
const Values& column(const Table& table, std::size_t place) {
  return std::get<Values>(table.columns.at(place).values);
}

TEST(TableRows, FollowByTheNameOfTheirColumn) {
  Table all{{{"t", "ns", Counts{1, 2}}, {"node", "", Texts{"a", "b"}}}};
  append_rows(all, {{{"node", "", Texts{"c"}}, {"t", "ns", Counts{3}}}});
  ASSERT_EQ(all.columns.size(), 2U);
  EXPECT_THAT(column<Counts>(all, 0), ElementsAre(1, 2, 3));
  EXPECT_THAT(column<Texts>(all, 1), ElementsAre("a", "b", "c"));
}

TEST(TableRows, WhatARowDoesNotHaveStaysEmpty) {
  Table all{{{"t", "ns", Counts{1}}, {"power", "W", Reals{5}}}};
  append_rows(all, {{{"t", "ns", Counts{2}}, {"load", "1", Reals{7}}, {"node", "", Texts{"n"}}}});
  ASSERT_EQ(all.columns.size(), 4U);
  EXPECT_EQ(column<Reals>(all, 1)[0], 5);
  EXPECT_TRUE(std::isnan(column<Reals>(all, 1)[1]));
  EXPECT_EQ(all.columns[2].name, "load");
  EXPECT_EQ(all.columns[2].unit, "1");
  EXPECT_TRUE(std::isnan(column<Reals>(all, 2)[0]));
  EXPECT_EQ(column<Reals>(all, 2)[1], 7);
  EXPECT_THAT(column<Texts>(all, 3), ElementsAre("", "n"));
}

TEST(TableRows, AColumnOfAnotherTypeStaysEmpty) {
  Table all{{{"t", "ns", Counts{1}}}};
  append_rows(all, {{{"t", "ns", Reals{2.5}}}});
  EXPECT_THAT(column<Counts>(all, 0), ElementsAre(1, 0));
}

TEST(TableRows, OfNothingAreThoseThatCome) {
  Table all;
  append_rows(all, {{{"t", "ns", Counts{4}}}});
  EXPECT_THAT(column<Counts>(all, 0), ElementsAre(4));
  append_rows(all, {});
  EXPECT_THAT(column<Counts>(all, 0), ElementsAre(4));
}

}  // namespace
}  // namespace scalemark
