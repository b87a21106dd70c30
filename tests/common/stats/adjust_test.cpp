// SPDX-License-Identifier: Apache-2.0
// Adjusted p-values against R's p.adjust (tests/golden/stats/adjust.json).
#include "common/stats/adjust.hpp"

#include "tests/common/stats/golden_values.hpp"

namespace scalemark::stats {
namespace {

void expect_all(const std::vector<double>& got, const nlohmann::json& want,
                const std::string& name) {
  ASSERT_EQ(got.size(), want.size()) << name;
  for (std::size_t i = 0; i < got.size(); ++i) {
    test::expect_close(got[i], test::number(want[i]), 1e-14, 0, name);
  }
}

TEST(Adjust, MeetsReference) {
  const auto cases = test::golden("adjust.json").at("cases");
  ASSERT_FALSE(cases.empty());
  for (const auto& one : cases) {
    const std::vector<double> p = test::numbers(one.at("p"));
    expect_all(benjamini_hochberg(p), one.at("bh"), one.at("name"));
    expect_all(holm(p), one.at("holm"), one.at("name"));
  }
}

TEST(Adjust, TakesNothing) {
  EXPECT_TRUE(benjamini_hochberg({}).empty());
  EXPECT_TRUE(holm({}).empty());
}

}  // namespace
}  // namespace scalemark::stats
