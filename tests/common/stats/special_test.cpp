// SPDX-License-Identifier: Apache-2.0
// Special functions against 60-digit values (tests/golden/stats/special.json).
#include "common/stats/special.hpp"

#include "common/stats/distributions.hpp"
#include "tests/common/stats/golden_values.hpp"

namespace scalemark::stats {
namespace {

using test::expect_close;
using test::number;

constexpr double kZero = 1e-15;  // tolerance where the value is 0

void expect_row(double got, const nlohmann::json& row, const char* want) {
  if (row.at(want).is_null()) return;  // below 1e-300
  expect_close(got, number(row.at(want)), row.at("tol"), number(row.at(want)) == 0 ? kZero : 0,
               row.dump());
}

TEST(StudentT, MeetsReferenceTails) {
  const auto rows = test::golden("special.json").at("t_cdf");
  ASSERT_GT(rows.size(), 300U);
  for (const auto& row : rows) {
    const double t = number(row.at("t")), df = number(row.at("df"));
    expect_row(student_t_upper(t, df), row, "sf");
    expect_row(student_t_upper(-t, df), row, "cdf");
  }
}

TEST(StudentT, MeetsReferenceQuantiles) {
  const auto rows = test::golden("special.json").at("t_quantile");
  ASSERT_GT(rows.size(), 300U);
  for (const auto& row : rows) {
    expect_row(student_t_quantile(number(row.at("p")), number(row.at("df"))), row, "t");
  }
}

TEST(Normal, IsStudentTOfInfiniteDegrees) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto file = test::golden("special.json");
  for (const auto& row : file.at("normal_cdf")) {
    expect_row(student_t_upper(number(row.at("x")), infinity), row, "sf");
  }
  for (const auto& row : file.at("normal_quantile")) {
    expect_row(student_t_quantile(number(row.at("p")), infinity), row, "z");
  }
}

TEST(Gamma, MeetsReferenceDerivatives) {
  const auto file = test::golden("special.json");
  for (const auto& row : file.at("digamma")) expect_row(digamma(row.at("x")), row, "want");
  for (const auto& row : file.at("trigamma")) expect_row(trigamma(row.at("x")), row, "want");
  for (const auto& row : file.at("trigamma_inverse")) {
    expect_row(trigamma_inverse(row.at("y")), row, "want");
  }
}

TEST(StudentT, HasNoTailForNan) {
  EXPECT_TRUE(std::isnan(student_t_upper(std::nan(""), 3)));
  EXPECT_TRUE(std::isnan(student_t_upper(1, std::nan(""))));
  EXPECT_TRUE(std::isnan(student_t_upper(1, 0)));
}

}  // namespace
}  // namespace scalemark::stats
