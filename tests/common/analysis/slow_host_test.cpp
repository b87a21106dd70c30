// SPDX-License-Identifier: Apache-2.0
// Which host or rank is reported slow, on synthetic times of pairs.
#include "common/analysis/slow_host.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/formats/make_printer.hpp"
#include "common/print/printer.hpp"
#include "tests/common/compare/synthetic.hpp"

namespace scalemark::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Factor = std::function<double(std::size_t, std::size_t)>;

double alike(std::size_t, std::size_t) { return 1; }
Factor slow(std::vector<std::size_t> ends, double factor) {
  return [=](std::size_t a, std::size_t b) {
    double all = 1;
    for (const std::size_t end : ends) all *= a == end || b == end ? factor : 1;
    return all;
  };
}
Factor slow_link(std::size_t one, std::size_t other, double factor) {
  return [=](std::size_t a, std::size_t b) { return a == one && b == other ? factor : 1.0; };
}
/// Pairs within a group are fast; pairs between groups take `factor` times as long.
Factor groups(std::vector<int> of, double factor) {
  return [=](std::size_t a, std::size_t b) { return of[a] == of[b] ? 1.0 : factor; };
}

/// All pairs of `ends` ends: about 2 us, lognormal with standard deviation `noise`.
std::vector<PairTime> made(std::size_t ends, double noise, std::mt19937& random,
                           const Factor& factor = alike) {
  std::normal_distribution<double> normal(0, noise);
  std::vector<PairTime> pairs;
  for (std::size_t a = 0; a < ends; ++a) {
    for (std::size_t b = a + 1; b < ends; ++b)
      pairs.push_back({a, b, 2e-6 * factor(a, b) * std::exp(normal(random))});
  }
  return pairs;
}

TEST(SlowEnd, IsNamedByItsPairs) {
  std::mt19937 random(1);
  for (const auto& [ends, factor] :
       std::vector<std::pair<std::size_t, double>>{{3, 1.8}, {4, 1.5}, {8, 1.25}, {16, 1.1}}) {
    for (int i = 0; i < 20; ++i) {
      const auto named = slow_end(made(ends, 0.01, random, slow({1}, factor)));
      ASSERT_TRUE(named) << ends;
      EXPECT_EQ(named->end, 1U);
      EXPECT_NEAR(named->factor, factor, 0.05 * factor);
      EXPECT_EQ(named->pairs, ends - 1);
    }
  }
}

TEST(SlowEnd, OneSlowPairNamesNone) {
  std::mt19937 random(2);
  for (const std::size_t ends : {3U, 4U, 8U}) {
    for (const double factor : {1.3, 2.0, 50.0})
      EXPECT_FALSE(slow_end(made(ends, 0.01, random, slow_link(0, 1, factor)))) << ends;
  }
  // Nor does it hide a slow end.
  for (const std::size_t ends : {6U, 8U}) {
    const auto named = slow_end(made(ends, 0.01, random, [](std::size_t a, std::size_t b) {
      return slow({3}, 2)(a, b) * slow_link(0, 1, 50)(a, b);
    }));
    ASSERT_TRUE(named) << ends;
    EXPECT_EQ(named->end, 3U);
  }
}

TEST(SlowEnd, IsNamedFalselyAtMostOnceInAHundred) {
  std::mt19937 random(3);
  for (const std::size_t ends : {3U, 4U, 5U, 8U, 16U, 40U}) {
    for (const double noise : {0.01, 0.03, 0.1}) {
      int named = 0;
      for (int i = 0; i < 1000; ++i) named += slow_end(made(ends, noise, random)) ? 1 : 0;
      EXPECT_LE(named, 10) << ends << " ends, noise " << noise;
    }
  }
  // More noise than the usual 10 %, with enough pairs to show it.
  for (const std::size_t ends : {5U, 8U, 16U}) {
    int named = 0, with_outliers = 0;
    for (int i = 0; i < 1000; ++i) {
      named += slow_end(made(ends, 0.4, random)) ? 1 : 0;
      with_outliers +=
          slow_end(made(ends, 0.05, random,
                        [&](std::size_t, std::size_t) { return random() % 10 == 0 ? 3.0 : 1.0; }))
              ? 1
              : 0;
    }
    EXPECT_LE(named, 10) << ends;
    EXPECT_LE(with_outliers, 10) << ends;
  }
}

TEST(SlowEnd, IsNamedBesideOthers) {
  std::mt19937 random(4);
  const auto named = slow_end(made(8, 0.01, random, [](std::size_t a, std::size_t b) {
    return slow({2}, 3)(a, b) * slow({5}, 2)(a, b);
  }));
  ASSERT_TRUE(named);
  EXPECT_EQ(named->end, 2U);
  EXPECT_TRUE(slow_end(made(8, 0.01, random, slow({2, 5}, 2))));
  // With sixteen ends, four may be slow. With five, it is not clear which ends are the exception.
  EXPECT_TRUE(slow_end(made(16, 0.01, random, slow({2, 5, 7, 11}, 2))));
  EXPECT_FALSE(slow_end(made(16, 0.01, random, slow({2, 5, 7, 11, 13}, 2))));
}

TEST(SlowEnd, GroupsOfNearEndsNameNone) {
  std::mt19937 random(5);
  EXPECT_FALSE(slow_end(made(8, 0.01, random, groups({0, 0, 0, 0, 1, 1, 1, 1}, 1.5))));
  EXPECT_FALSE(slow_end(made(8, 0.01, random, groups({0, 0, 0, 0, 0, 1, 1, 1}, 1.5))));
  EXPECT_FALSE(slow_end(made(8, 0.01, random, groups({0, 0, 0, 0, 0, 0, 1, 1}, 1.5))));
  EXPECT_FALSE(slow_end(made(4, 0.01, random, groups({0, 0, 1, 1}, 3))));
  // An end without a near partner, where most pairs are as slow as its own.
  EXPECT_FALSE(slow_end(made(9, 0.01, random, groups({0, 0, 1, 1, 2, 2, 3, 3, 4}, 1.5))));
  // An end farther from all others than these are from each other: slow, whatever the reason.
  EXPECT_TRUE(slow_end(made(8, 0.01, random, groups({0, 0, 0, 1, 0, 0, 0, 0}, 1.5))));
}

TEST(SlowEnd, MustBeFivePercentSlower) {
  std::mt19937 random(6);
  EXPECT_FALSE(slow_end(made(40, 0.001, random, slow({7}, 1.045))));
  EXPECT_TRUE(slow_end(made(40, 0.001, random, slow({7}, 1.06))));
}

TEST(SlowEnd, PairsMayBeMissing) {
  std::mt19937 random(7);
  std::vector<PairTime> pairs = made(8, 0.01, random, slow({1}, 2)), some;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i % 4 != 3) some.push_back(pairs[i]);
  }
  ASSERT_TRUE(slow_end(some));
  EXPECT_EQ(slow_end(some)->end, 1U);
  // End 7 has one pair, then two pairs with the seven others: too few to judge it.
  std::vector<PairTime> few = made(7, 0.01, random);
  for (const std::size_t other : {0U, 1U}) {
    few.push_back({other, 7, 1e-3});
    EXPECT_FALSE(slow_end(few)) << other;
  }
  // Three ends with two pairs, or two ends: nothing to compare with.
  EXPECT_FALSE(slow_end(std::vector<PairTime>{{0, 1, 1e-3}, {1, 2, 1e-3}}));
  EXPECT_FALSE(slow_end(std::vector<PairTime>{{0, 1, 1e-3}}));
  EXPECT_FALSE(slow_end({}));
}

TEST(SlowEnd, TimesThatAreNoneDoNotCount) {
  std::mt19937 random(8);
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  std::vector<PairTime> pairs = made(8, 0.01, random, slow({1}, 2));
  pairs[0].seconds = kNan;  // pair of ends 0 and 1
  pairs[1].seconds = 0;
  pairs[2].seconds = -1;
  pairs[20].seconds = std::numeric_limits<double>::infinity();
  pairs.push_back({1, 1, 1e-9});
  ASSERT_TRUE(slow_end(pairs));
  EXPECT_EQ(slow_end(pairs)->end, 1U);
  EXPECT_EQ(slow_end(pairs)->pairs, 6U);
  for (PairTime& pair : pairs) pair.seconds = kNan;
  EXPECT_FALSE(slow_end(pairs));
  for (PairTime& pair : pairs) pair.seconds = 0;
  EXPECT_FALSE(slow_end(pairs));
  for (PairTime& pair : pairs) pair.seconds = 1e-6;
  EXPECT_FALSE(slow_end(pairs));
}

/// A case with ranks on `places`; pairs within a host take a fifth of the time of those between
/// hosts.
CaseResult measured_on(const std::vector<std::string>& places, const Factor& factor,
                       const std::string& metric = "latency") {
  std::mt19937 random(9);
  std::vector<std::uint64_t> rank, peer;
  std::vector<std::string> rank_place, peer_place;
  std::vector<double> seconds;
  const auto host = [&](std::size_t i) { return places[i].substr(0, places[i].find(' ')); };
  for (const PairTime& pair : made(places.size(), 0.01, random, factor)) {
    rank.push_back(pair.first);
    peer.push_back(pair.second);
    rank_place.push_back(places[pair.first]);
    peer_place.push_back(places[pair.second]);
    seconds.push_back(pair.seconds * (host(pair.first) == host(pair.second) ? 0.2 : 1));
  }
  CaseResult result = test::measured("micro/pingpong", 8, {1000, 1200, 1100});
  result.tables["pairs"] = {.columns = {{"rank", "", rank},
                                        {"peer", "", peer},
                                        {"rank_place", "", rank_place},
                                        {"peer_place", "", peer_place},
                                        {metric, "s", seconds}}};
  return result;
}

const std::vector<std::string> kFourHosts = {"n1 numa 0", "n1 numa 1", "n2 numa 0", "n2 numa 1",
                                             "n3 numa 0", "n3 numa 1", "n4 numa 0", "n4 numa 1"};

TEST(SlowPlace, IsAHost) {
  for (const char* metric : {"latency", "time"}) {
    const auto named = slow_place(measured_on(kFourHosts, slow({2, 3}, 2), metric));
    ASSERT_TRUE(named) << metric;
    EXPECT_EQ(named->host, "n2");
    EXPECT_FALSE(named->is_rank);
    EXPECT_THAT(named->ranks, ElementsAre(2U, 3U));
    EXPECT_EQ(named->pairs, 3U);
    EXPECT_NEAR(named->factor, 2, 0.1);
    EXPECT_EQ(slow_text(*named).find("n2 is slow: its 3 pairs take "), 0U);
  }
  EXPECT_FALSE(slow_place(measured_on(kFourHosts, alike)));
}

TEST(SlowPlace, IsNoneOfTwoHosts) {
  EXPECT_FALSE(slow_place(measured_on({"n1", "n2"}, slow({1}, 5))));
  EXPECT_FALSE(slow_place(measured_on({"n1", "n1", "n2", "n2"}, slow({2, 3}, 5))));
}

TEST(SlowPlace, IsARankAmongThoseNear) {
  const std::vector<std::string> places = {"n1 numa 0", "n1 numa 0", "n1 numa 0", "n1 numa 0",
                                           "n1 numa 1", "n1 numa 1", "n1 numa 1"};
  const auto named = slow_place(measured_on(places, slow({2}, 2)));
  ASSERT_TRUE(named);
  EXPECT_TRUE(named->is_rank);
  EXPECT_EQ(named->host, "n1");
  EXPECT_THAT(named->ranks, ElementsAre(2U));
  EXPECT_EQ(named->pairs, 3U);
  EXPECT_EQ(slow_text(*named).find("rank 2 on n1 is slow: its 3 pairs take "), 0U);
  EXPECT_FALSE(slow_place(measured_on(places, alike)));
  // A rank without another rank on its NUMA node, so that all its partners are distant.
  const std::vector<std::string> apart = {"n1 numa 0", "n1 numa 0", "n1 numa 0", "n1 numa 1"};
  EXPECT_FALSE(slow_place(measured_on(apart, slow({3}, 5))));
}

TEST(SlowPlace, NeedsTheWholeTable) {
  const CaseResult whole = measured_on(kFourHosts, slow({2, 3}, 2));
  for (std::size_t i = 0; i < 5; ++i) {
    CaseResult missing = whole, shorter = whole, other = whole;
    auto& columns = missing.tables["pairs"].columns;
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_FALSE(slow_place(missing)) << i;
    std::visit([](auto& values) { values.pop_back(); }, shorter.tables["pairs"].columns[i].values);
    EXPECT_FALSE(slow_place(shorter)) << i;
    auto& values = other.tables["pairs"].columns[i].values;
    if (i < 2) {
      values = std::vector<double>(28, 1);
    } else {
      values = std::vector<std::uint64_t>(28, 1);
    }
    EXPECT_FALSE(slow_place(other)) << i;
  }
  CaseResult failed = whole;
  failed.status = Status::failed;
  EXPECT_FALSE(slow_place(failed));
  EXPECT_FALSE(slow_place(test::measured("micro/pingpong", 8, {1000})));
}

std::string printed(const std::string& format, const CaseResult& result) {
  std::ostringstream out;
  const auto printer = make_printer(format, out, {});
  const scalemark::Run run = test::run_of("u-1", {result});
  printer->begin(run);
  printer->add(result);
  printer->end(run);
  return out.str();
}

TEST(SlowPlace, StandsInTheTableAndInJson) {
  const CaseResult host = measured_on(kFourHosts, slow({2, 3}, 2));
  EXPECT_THAT(printed("table", host), HasSubstr("  n2 is slow: its 3 pairs take "));
  const auto object = nlohmann::json::parse(printed("jsonl", host)).at("slow_host");
  EXPECT_EQ(object.at("host"), "n2");
  EXPECT_EQ(object.at("ranks"), nlohmann::json({2, 3}));
  EXPECT_EQ(object.at("pairs"), 3);
  EXPECT_NEAR(object.at("factor").get<double>(), 2, 0.1);

  const auto rank =
      nlohmann::json::parse(printed("jsonl", measured_on({"n1", "n1", "n1", "n1"}, slow({2}, 2))));
  EXPECT_FALSE(rank.contains("slow_host"));
  EXPECT_EQ(rank.at("slow_rank").at("ranks"), nlohmann::json({2}));
  const auto none = nlohmann::json::parse(printed("jsonl", measured_on(kFourHosts, alike)));
  EXPECT_FALSE(none.contains("slow_host") || none.contains("slow_rank"));
}

}  // namespace
}  // namespace scalemark::analysis
