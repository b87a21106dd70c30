// SPDX-License-Identifier: Apache-2.0
// Moderated t, TREAT, TOST and Welch against limma and R (tests/golden/stats/moderated*.json).
#include "common/stats/moderated.hpp"

#include <numeric>

#include "common/stats/adjust.hpp"
#include "tests/common/stats/golden_values.hpp"

namespace scalemark::stats {
namespace {

using test::expect_close;
using test::number;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The contrasts of a golden table, by row; unmatched rows are empty.
std::vector<std::optional<Contrast>> contrasts(const nlohmann::json& table) {
  std::vector<std::optional<Contrast>> rows;
  const std::size_t split = table.at("runs_a");
  for (const auto& line : table.at("x")) {
    const std::vector<double> x = test::numbers(line);
    rows.push_back(contrast(std::span(x).first(split), std::span(x).subspan(split)));
  }
  return rows;
}

std::vector<Contrast> matched(const std::vector<std::optional<Contrast>>& rows) {
  std::vector<Contrast> result;
  for (const auto& row : rows) {
    if (row) result.push_back(*row);
  }
  return result;
}

double pooled_df(const std::vector<Contrast>& rows) {
  return std::accumulate(rows.begin(), rows.end(), 0.0,
                         [](double sum, const Contrast& row) { return sum + row.df(); });
}

bool stored_prior(const nlohmann::json& table) {
  return table.at("name").get<std::string>().starts_with("stored_prior");
}

void expect_column(const nlohmann::json& expected, const char* column, std::size_t row, double got,
                   double relative, double absolute, const std::string& name) {
  if (!expected.contains(column)) return;
  expect_close(got, number(expected.at(column).at(row)), relative, absolute,
               name + "." + column + " row " + std::to_string(row));
}

void expect_table(const nlohmann::json& table) {
  const std::string name = table.at("name");
  const nlohmann::json& expected = table.at("expected");
  const double tau = table.at("tau");
  const auto rows = contrasts(table);
  const std::vector<Contrast> used = matched(rows);
  Prior prior{number(table.at("d0")), number(table.at("s0_sq"))};
  if (!stored_prior(table)) {
    const std::optional<Prior> fitted = fit_prior(used);
    ASSERT_TRUE(fitted) << name;
    expect_close(fitted->df, prior.df, 1e-8, 0, name + ".d0");
    expect_close(fitted->variance, prior.variance, 1e-9, 0, name + ".s0_sq");
    prior = *fitted;
  }
  const double limit = stored_prior(table) ? kInfinity : pooled_df(used);
  std::vector<double> p_treat(rows.size(), std::nan(""));
  for (std::size_t g = 0; g < rows.size(); ++g) {
    if (!rows[g]) {
      EXPECT_TRUE(expected.at("d").at(g).is_null()) << name;
      continue;
    }
    const Estimate got = moderated(*rows[g], prior, limit);
    p_treat[g] = p_beyond(got, tau);
    expect_column(expected, "d", g, rows[g]->difference, 0, 1e-12, name);
    expect_column(expected, "nu", g, rows[g]->df(), 0, 0, name);
    expect_column(expected, "s_sq", g, rows[g]->variance, 1e-9, 1e-24, name);
    expect_column(expected, "s_sq_post", g, got.variance, 1e-9, 0, name);
    expect_column(expected, "df_total", g, got.df, 1e-8, 0, name);
    expect_column(expected, "se", g, got.standard_error, 1e-9, 0, name);
    expect_column(expected, "p_two_sided", g, p_different(got), 1e-8, 1e-300, name);
    expect_column(expected, "treat_p", g, p_treat[g], 1e-8, 1e-300, name);
    expect_column(expected, "p_same", g, p_outside(got, tau), 1e-8, 1e-300, name);
  }
  if (!expected.contains("treat_p_bh")) return;
  const std::vector<double> adjusted = benjamini_hochberg(p_treat);
  for (std::size_t g = 0; g < rows.size(); ++g) {
    expect_column(expected, "treat_p_bh", g, adjusted[g], 1e-8, 1e-300, name);
  }
}

void expect_file(const std::string& file) {
  const auto cases = test::golden(file).at("cases");
  ASSERT_FALSE(cases.empty());
  for (const auto& table : cases) expect_table(table);
}

TEST(Moderated, MeetsLimma) { expect_file("moderated.json"); }
TEST(Moderated, MeetsLimmaAtTheEdges) { expect_file("moderated_edge.json"); }
TEST(Moderated, MeetsLimmaOnLargeTables) { expect_file("moderated_large.json"); }

TEST(Welch, MeetsReference) {
  const auto cases = test::golden("moderated.json").at("cases");
  std::size_t tested = 0;
  for (const auto& table : cases) {
    const auto& expected = table.at("expected");
    if (!expected.contains("welch_p")) continue;
    const auto rows = contrasts(table);
    for (std::size_t g = 0; g < rows.size(); ++g) {
      const std::optional<Estimate> got = welch(rows[g].value());
      ASSERT_TRUE(got);
      const std::string name = table.at("name");
      expect_column(expected, "welch_t", g, got->difference / got->standard_error, 1e-8, 1e-9,
                    name);
      expect_column(expected, "welch_df", g, got->df, 1e-8, 1e-300, name);
      expect_column(expected, "welch_p", g, p_different(*got), 1e-8, 1e-300, name);
      ++tested;
    }
  }
  EXPECT_GT(tested, 150U);
}

TEST(Welch, NeedsTwoRunsASide) {
  const std::vector<double> one = {1}, two = {1, 2};
  EXPECT_FALSE(welch(contrast(one, two).value()));
  EXPECT_FALSE(welch(contrast(two, one).value()));
}

TEST(Contrast, LeavesOutWhatIsNoNumber) {
  const std::vector<double> a = {1, std::nan(""), 3}, b = {kInfinity, 5}, none = {std::nan("")};
  const Contrast row = contrast(a, b).value();
  EXPECT_EQ(row.runs_a, 2);
  EXPECT_EQ(row.runs_b, 1);
  EXPECT_EQ(row.difference, 3);
  EXPECT_FALSE(contrast(a, none));
}

TEST(Contrast, FloorRaisesSmallVariancesOnly) {
  const std::vector<double> a = {1, 1}, b = {2, 4};
  const Contrast row = with_floor(contrast(a, b).value(), 0.5);
  EXPECT_EQ(row.variance_a, 0.5);
  EXPECT_EQ(row.variance_b, 2);
  EXPECT_EQ(row.variance, 1);
}

// Tables, 6 degrees of freedom: t(.95) = 1.94318, t(.975) = 2.44691.
TEST(Estimate, OneSidedTestsGoByTheDirection) {
  const Estimate worse{0.01 + 1.94318 * 0.002, 0.002, 6, 0};
  EXPECT_NEAR(p_more_than(worse, 0.01), 0.05, 1e-6);
  EXPECT_NEAR(p_more_than({-worse.difference, 0.002, 6, 0}, 0.01), 1, 1e-3);
  const Estimate far{2.44691 * 0.002, 0.002, 6, 0};
  EXPECT_NEAR(p_more_than(far, 0), 0.025, 1e-6);
  EXPECT_NEAR(p_beyond(far, 0), p_different(far), 1e-15);
}

TEST(Prior, IsCappedInItsDegreesOfFreedomAlone) {
  EXPECT_EQ(capped({kInfinity, 3}).df, 20);
  EXPECT_EQ(capped({kInfinity, 3}).variance, 3);
  EXPECT_EQ(capped({4, 3}).df, 4);
  EXPECT_EQ(capped({4, 3}, 2).df, 2);
}

// Equal values in every run, as of an accuracy: the difference alone decides.
TEST(Estimate, WithoutVarianceIsDecidedByTheDifference) {
  const double tau = 0.01;
  const Estimate far{0.02, 0, 4, 0}, near{0.005, 0, 4, 0};
  EXPECT_EQ(p_beyond(far, tau), 0);
  EXPECT_EQ(p_outside(far, tau), 1);
  EXPECT_EQ(p_beyond(near, tau), 1);
  EXPECT_EQ(p_outside(near, tau), 0);
}

// Two one-sided tests at 5 % say "inside" exactly when the 90 % interval is inside.
TEST(Estimate, NinetyPercentIntervalTellsTheSameAsTost) {
  for (const double difference : {0.0, 0.003, -0.0075, 0.009}) {
    for (const double error : {0.001, 0.002, 0.004}) {
      const Estimate estimate{difference, error, 6.5, 1};
      const Interval interval = confidence_interval(estimate, 0.9);
      const bool inside = interval.low > -0.01 && interval.high < 0.01;
      EXPECT_EQ(p_outside(estimate, 0.01) <= 0.05, inside) << difference << " " << error;
    }
  }
}

}  // namespace
}  // namespace scalemark::stats
