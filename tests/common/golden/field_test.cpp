// SPDX-License-Identifier: Apache-2.0
// Reading golden files: checked types, errors with the path, and fields that nobody read.
#include "common/golden/field.hpp"

#include <cmath>
#include <functional>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace scalemark::golden {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

json example() {
  return json::parse(
      R"({"n": 3, "flag": true, "name": "x", "rows": [[1, 2.5], [3, 4]], "deep": {"a": 1, "b": {"c": 2}},
                         "digest": {"n": 1, "sum": 1.0, "abs_sum": 1.0, "weighted_sum": 0.5, "values": [1.0]}})");
}

std::vector<std::string> unknown_items(const Field& root) {
  Report report("f");
  root.report_unknown(report);
  std::vector<std::string> names;
  for (const auto& item : report.items()) {
    EXPECT_EQ(item.outcome, Outcome::skipped);
    names.push_back(item.item);
  }
  return names;
}

std::string message(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "(no InputError)";
}

TEST(Field, ReadsWhatIsThere) {
  const json file = example();
  const Field root(file);
  EXPECT_EQ(root["n"].integer(), 3);
  EXPECT_EQ(root["n"].number(), 3.0);
  EXPECT_TRUE(root["flag"].boolean());
  EXPECT_EQ(root["name"].text(), "x");
  EXPECT_THAT(root["rows"].numbers(), ElementsAre(1, 2.5, 3, 4));
  EXPECT_EQ(root["rows"].size(), 2U);
  EXPECT_EQ(root["deep"]["b"]["c"].path(), "deep.b.c");
  EXPECT_THAT(root["deep"].keys(), ElementsAre("a", "b"));
}

TEST(Field, ErrorsNameThePathAndWhatWasWanted) {
  const json file = example();
  const Field root(file);
  EXPECT_THAT(message([&] { root["name"].number(); }), HasSubstr("'name'"));
  EXPECT_THAT(message([&] { root["deep"]["x"].number(); }), HasSubstr("deep"));
  EXPECT_THAT(message([&] { root["n"]["a"].number(); }), HasSubstr("'n.a'"));
  EXPECT_THAT(message([&] { root["rows"][2].numbers(); }), HasSubstr("rows"));
  EXPECT_THAT(message([&] { root["n"].text(); }), HasSubstr("'n'"));
  EXPECT_THAT(message([&] { root["n"].digest(); }), HasSubstr("'n'"));
  EXPECT_THAT(message([&] { root["rows"][0][1].integer(); }), HasSubstr("rows[0][1]"));
}

TEST(Field, FieldsThatNobodyReadAreReportedOnce) {
  const json file = example();
  const Field root(file);
  root["n"].integer();
  root["deep"]["a"].number();
  root["digest"].digest();
  EXPECT_THAT(unknown_items(root), ElementsAre("deep.b", "flag", "name", "rows"));
  root["flag"].boolean();
  root["name"].note();
  root["rows"].numbers();
  root["deep"]["b"]["c"].note();
  EXPECT_THAT(unknown_items(root), ElementsAre());
}

TEST(Field, UnknownFieldsInsideADigestAreReported) {
  json file = example();
  file["digest"]["median"] = 1;
  const Field root(file);
  for (const auto* key : {"n", "flag", "name", "rows", "deep"}) root[key].note();
  root["digest"].digest();
  EXPECT_THAT(unknown_items(root), ElementsAre("digest.median"));
}

TEST(Field, ReadsMissingAndInfiniteNumbers) {
  const json file = json::parse(R"({"x": [1.5, null, "inf", "-inf"], "y": null, "z": ["nan"]})");
  const Field root(file);
  const std::vector<double> x = root["x"].numbers_or_missing();
  ASSERT_EQ(x.size(), 4U);
  EXPECT_EQ(x[0], 1.5);
  EXPECT_TRUE(std::isnan(x[1]));
  EXPECT_EQ(x[2], std::numeric_limits<double>::infinity());
  EXPECT_EQ(x[3], -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(root["y"].number_or_missing()));
  EXPECT_EQ(root["x"][0].number_or_missing(), 1.5);
  EXPECT_THAT(message([&] { root["z"].numbers_or_missing(); }), HasSubstr("'z'"));
  EXPECT_THAT(message([&] { root["x"].number_or_missing(); }), HasSubstr("'x'"));
  EXPECT_THAT(unknown_items(root), ElementsAre("z"));
}

}  // namespace
}  // namespace scalemark::golden
