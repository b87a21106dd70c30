// SPDX-License-Identifier: Apache-2.0
// Comparisons of golden values: what passes, what fails, what is reported.
#include "common/golden/report.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/golden/fill.hpp"

namespace scalemark::golden {
namespace {

using nlohmann::json;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Digest of {1, -2, 4}: sums by hand, weights from the rule.
json hand_digest() {
  const double weighted = sym(0, 0, 0) - 2 * sym(0, 0, 1) + 4 * sym(0, 0, 2);
  return {{"n", 3},
          {"sum", 3.0},
          {"abs_sum", 7.0},
          {"weighted_sum", weighted},
          {"values", {1.0, -2.0, 4.0}}};
}

/// Whether a digest comparison passes as a whole.
bool digest_passes(const std::vector<double>& got, const json& want, double relative = 1e-12,
                   double edge = -1) {
  Report report("file.json");
  report.digest("x", got, want, relative, edge);
  EXPECT_FALSE(report.items().empty());
  return std::ranges::all_of(report.items(),
                             [](const Item& item) { return item.outcome == Outcome::pass; });
}

/// The item of that name; fails when there is none.
Item item_of(const Report& report, const std::string& name) {
  for (const auto& item : report.items()) {
    if (item.item == name) return item;
  }
  ADD_FAILURE() << "no item " << name;
  return {};
}

TEST(Report, AListenerHearsOfEachItemInTurn) {
  std::vector<std::string> heard;
  Report report("file.json", [&](const Item& item) { heard.push_back(item.item); });
  report.near("a", 1, 1, 0);
  report.exact("b", false, "differs");
  ASSERT_EQ(heard.size(), 2U);
  report.all_near("c", {}, {}, 0);
  report.all_close("d", {}, {}, 0, 0);
  report.skip("e", "reason");
  report.unknown("f");
  EXPECT_EQ(heard, (std::vector<std::string>{"a", "b", "c", "d", "e", "f"}));
}

TEST(Report, AnFp32FieldMayBeOffByMoreThanTheLibrary) {
  EXPECT_EQ(fp32_tolerance(1e-4, 2e-3), 3e-3);
  EXPECT_EQ(fp32_tolerance(1e-4, 1e-6), 1e-4);
  EXPECT_EQ(fp32_tolerance(1e-4, 0), 1e-4);
}

TEST(Report, NearKeepsErrorAndTolerance) {
  Report report("file.json");
  report.near("a", 1.5, 1.25, 0.25);
  report.near("b", 1.5, 1.25, 0.125);
  ASSERT_EQ(report.items().size(), 2U);
  const auto& pass = report.items()[0];
  const auto& fail = report.items()[1];
  EXPECT_EQ(pass.outcome, Outcome::pass);
  EXPECT_EQ(pass.error, 0.25);
  EXPECT_EQ(pass.tolerance, 0.25);
  EXPECT_EQ(pass.file, "file.json");
  EXPECT_EQ(fail.outcome, Outcome::fail);
  EXPECT_EQ(fail.error, 0.25);
  EXPECT_NE(fail.reason.find("1.5"), std::string::npos) << fail.reason;
  EXPECT_NE(fail.reason.find("1.25"), std::string::npos) << fail.reason;
}

TEST(Report, NanOnEitherSideFails) {
  Report report("f");
  report.near("got", kNan, 1, 1e9);
  report.near("want", 1, kNan, 1e9);
  report.near("tolerance", 1, 1, kNan);
  const std::vector<double> numbers = {1, 2}, first = {kNan, 2}, second = {1, kNan};
  report.all_near("all", first, numbers, 1e9);
  report.all_near("all", second, numbers, 1e9);
  report.all_near("all", numbers, second, 1e9);
  for (const auto& item : report.items()) EXPECT_EQ(item.outcome, Outcome::fail) << item.item;
  EXPECT_FALSE(digest_passes({1, kNan, 4}, hand_digest(), 1e9));
}

TEST(Report, AllNearTakesTheLargestErrorAndWantsEqualLengths) {
  Report report("f");
  const std::vector<double> got = {1, 2.5, 4, 9}, want = {1, 2, 3, 9};
  report.all_near("a", got, want, 0.75);
  report.all_near("b", got, want, 1);
  report.all_near("c", std::span(got).first(3), want, 10);
  EXPECT_EQ(item_of(report, "a").outcome, Outcome::fail);
  EXPECT_EQ(item_of(report, "a").error, 1.0);
  EXPECT_EQ(item_of(report, "b").outcome, Outcome::pass);
  EXPECT_EQ(item_of(report, "c").outcome, Outcome::fail);
}

TEST(Report, ExactSaysWhatDiffered) {
  Report report("f");
  report.exact("a", true);
  report.exact("b", false, "shape [2] instead of [3]");
  EXPECT_EQ(report.items()[0].outcome, Outcome::pass);
  EXPECT_EQ(report.items()[1].reason, "shape [2] instead of [3]");
}

TEST(Digest, TakesTheRightValuesAndNoOthers) {
  EXPECT_TRUE(digest_passes({1, -2, 4}, hand_digest()));
  EXPECT_FALSE(digest_passes({1, -2, 4.001}, hand_digest()));
  EXPECT_TRUE(digest_passes({1, -2, 4.001}, hand_digest(), 1e-2));
  EXPECT_FALSE(digest_passes({1, -2}, hand_digest()));
  EXPECT_FALSE(digest_passes({}, hand_digest()));
}

TEST(Digest, HoldsEdgeValuesToTheirOwnMagnitude) {
  // The mean is 25, the edge 100: 1e-10 is allowed where sums allow it, too.
  const json want = {{"n", 4},           {"sum", 100.0},
                     {"abs_sum", 100.0}, {"weighted_sum", 100 * sym(0, 0, 0)},
                     {"first", {100.0}}, {"last", {0.0}}};
  EXPECT_TRUE(digest_passes({100 + 5e-11, 0, 0, 0}, want));
  EXPECT_FALSE(digest_passes({100 + 2e-10, 0, 0, 0}, want));
  EXPECT_FALSE(digest_passes({100, 0, 0, 5e-11}, want)) << "zeros at the end have the mean, 25";
}

TEST(Digest, WeightedSumCatchesPermutations) {
  std::vector<double> values = {5, 1, 2, 3, 4, 6};
  double weighted = 0;
  for (std::size_t i = 0; i < values.size(); ++i) weighted += values[i] * sym(0, 0, i);
  const json want = {{"n", 6},          {"sum", 21.0},
                     {"abs_sum", 21.0}, {"weighted_sum", weighted},
                     {"first", {5.0}},  {"last", {4.0, 6.0}}};
  EXPECT_TRUE(digest_passes(values, want));
  std::swap(values[1], values[3]);
  EXPECT_FALSE(digest_passes(values, want));
}

TEST(Digest, EdgesHaveTheirOwnTolerance) {
  // Sums within 1e-3 * 7; an edge value within 7e-3 / 3, or what the caller says.
  EXPECT_TRUE(digest_passes({1.001, -2.001, 4}, hand_digest(), 1e-3));
  EXPECT_FALSE(digest_passes({1.003, -2.003, 4}, hand_digest(), 1e-3));
  EXPECT_TRUE(digest_passes({1.003, -2.003, 4}, hand_digest(), 1e-3, 0.004));
}

TEST(Digest, SumsSurviveCancellation) {
  // No type of the machine holds 1e25 + 1.
  const std::vector<double> values = {1e25, 1, 1, -1e25, 1};
  const json want = {
      {"n", 5}, {"sum", 3.0}, {"abs_sum", 2e25}, {"weighted_sum", 0.0}, {"values", values}};
  Report report("f");
  report.digest("x", values, want, 1e-30);
  EXPECT_EQ(item_of(report, "x.sum").error, 0);
  EXPECT_EQ(item_of(report, "x.abs_sum").error, 0);
}

TEST(Digest, ZerosNeedNoTolerance) {
  const json want = {
      {"n", 2}, {"sum", 0.0}, {"abs_sum", 0.0}, {"weighted_sum", 0.0}, {"values", {0.0, 0.0}}};
  EXPECT_TRUE(digest_passes({0, 0}, want));
  EXPECT_FALSE(digest_passes({0, 1e-300}, want));
}

TEST(Digest, BrokenDigestsFailAndDoNotThrow) {
  for (const auto* key : {"n", "sum", "abs_sum", "weighted_sum", "values"}) {
    auto want = hand_digest();
    want.erase(key);
    EXPECT_FALSE(digest_passes({1, -2, 4}, want)) << key;
  }
  EXPECT_FALSE(digest_passes({1, -2, 4}, json("text")));
  auto too_many = hand_digest();
  too_many.erase("values");
  too_many["last"] = {0, 1, -2, 4};
  EXPECT_FALSE(digest_passes({1, -2, 4}, too_many));
}

TEST(Topics, ATopicIsRegisteredOnce) {
  const Check check = [](const json&, const Options&, Report& report) {
    report.skip("item", "reason");
  };
  EXPECT_TRUE(register_topic("test_topic", check));
  EXPECT_EQ(topics().at("test_topic"), check);
  EXPECT_THROW(register_topic("test_topic", check), Error);
}

TEST(Report, SkippedAndUnknownCarryTheirReason) {
  Report report("f");
  report.skip("a", "no GPU");
  report.unknown("b");
  EXPECT_EQ(item_of(report, "a").outcome, Outcome::skipped);
  EXPECT_EQ(item_of(report, "a").reason, "no GPU");
  EXPECT_EQ(item_of(report, "b").outcome, Outcome::skipped);
  EXPECT_EQ(item_of(report, "b").reason, "unknown field");
}

TEST(Report, ComparesEachValueToItsOwnTolerance) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> want = {1, 1000, kNan, infinity, 0};
  Report report("f");
  report.all_close("good", std::vector<double>{1, 1000.9, kNan, infinity, 1e-7}, want, 1e-3, 1e-6);
  report.all_close("one off", std::vector<double>{1.1, 1000, kNan, infinity, 0}, want, 1e-3, 1e-6);
  report.all_close("not missing", std::vector<double>{1, 1000, 3, infinity, 0}, want, 1e-3, 1e-6);
  report.all_close("missing", std::vector<double>{1, kNan, kNan, infinity, 0}, want, 1e-3, 1e-6);
  report.all_close("finite", std::vector<double>{1, 1000, kNan, 1e300, 0}, want, 1e-3, 1e-6);
  report.all_close("short", std::vector<double>{1}, want, 1e-3, 1e-6);
  ASSERT_EQ(report.items().size(), 6U);
  EXPECT_EQ(report.items()[0].outcome, Outcome::pass);
  EXPECT_NEAR(report.items()[0].error, 0.9, 1e-9) << "the worst of them";
  for (std::size_t i = 1; i < 6; ++i) {
    EXPECT_EQ(report.items()[i].outcome, Outcome::fail) << report.items()[i].item;
    EXPECT_FALSE(report.items()[i].reason.empty());
  }
}

}  // namespace
}  // namespace scalemark::golden
