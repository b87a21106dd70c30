// SPDX-License-Identifier: Apache-2.0
// Checks special functions and adjusted p-values against their golden files.
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/golden/field.hpp"
#include "common/stats/adjust.hpp"
#include "common/stats/distributions.hpp"
#include "common/stats/golden/checks.hpp"
#include "common/stats/special.hpp"

namespace scalemark::stats {
namespace {

using golden::Field;

/// Absolute tolerance for a value of 0, where a relative one allows nothing.
constexpr double kZero = 1e-15;

/// Compares one value of a row, which contains its relative tolerance. null means below the
/// smallest double; it is not compared.
void compare(const Field& row, const char* column, double got, golden::Report& report) {
  const Field field = row[column];
  const double want = field.number_or_missing();
  if (std::isnan(want)) return;
  const double relative = row["tol"].number();
  report.all_close(field.path(), std::span(&got, 1), std::span(&want, 1), relative,
                   want == 0 ? kZero : 0);
}

using Row = void (*)(const Field& row, golden::Report& report);

void t_cdf(const Field& row, golden::Report& report) {
  const double t = row["t"].number_or_missing(), df = row["df"].number_or_missing();
  compare(row, "cdf", student_t_upper(-t, df), report);
  compare(row, "sf", student_t_upper(t, df), report);
  compare(row, "log_cdf", student_t_log_upper(-t, df), report);
  compare(row, "log_sf", student_t_log_upper(t, df), report);
}

void t_quantile(const Field& row, golden::Report& report) {
  const double df = row["df"].number_or_missing();
  compare(row, "t", student_t_quantile(row["p"].number(), df), report);
}

void beta(const Field& row, golden::Report& report) {
  const double a = row["a"].number(), b = row["b"].number(), x = row["x"].number();
  compare(row, "I", beta_inc(a, b, x), report);
  compare(row, "one_minus_I", beta_inc_complement(a, b, x), report);
}

void normal_cdf(const Field& row, golden::Report& report) {
  const double x = row["x"].number();
  compare(row, "cdf", normal_upper(-x), report);
  compare(row, "sf", normal_upper(x), report);
  compare(row, "log_cdf", normal_log_upper(-x), report);
  compare(row, "log_sf", normal_log_upper(x), report);
}

template <double (*function)(double), char argument = 'x'>
void one_argument(const Field& row, golden::Report& report) {
  compare(row, "want", function(row[std::string(1, argument)].number()), report);
}

void normal_quantiles(const Field& row, golden::Report& report) {
  compare(row, "z", normal_quantile(row["p"].number()), report);
}

constexpr std::pair<const char*, Row> kTables[] = {
    {"t_cdf", t_cdf},
    {"t_quantile", t_quantile},
    {"beta_inc", beta},
    {"log_gamma", one_argument<log_gamma>},
    {"digamma", one_argument<digamma>},
    {"trigamma", one_argument<trigamma>},
    {"trigamma_inverse", one_argument<trigamma_inverse, 'y'>},
    {"normal_cdf", normal_cdf},
    {"normal_quantile", normal_quantiles},
};

}  // namespace

void check_special(const nlohmann::json& file, const golden::Options& /*options*/,
                   golden::Report& report) {
  const Field root(file);
  for (const char* note : {"topic", "description", "check"}) {
    if (root.has(note)) root[note].note();
  }
  for (const auto& [name, check] : kTables) {
    if (!root.has(name)) continue;
    const Field table = root[name];
    for (std::size_t i = 0; i < table.size(); ++i) check(table[i], report);
  }
  root.report_unknown(report);
}

void check_adjusted(const nlohmann::json& file, const golden::Options& /*options*/,
                    golden::Report& report) {
  const Field root(file);
  for (const char* note : {"topic", "description"}) {
    if (root.has(note)) root[note].note();
  }
  const Field cases = root["cases"];
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Field one = cases[i];
    const std::string name = fmt::format("cases.{}", one["name"].text());
    const std::vector<double> p = one["p"].numbers_or_missing();
    const auto compare_to = [&](const char* column, const std::vector<double>& got,
                                double relative) {
      if (!one.has(column)) return;
      report.all_close(name + "." + column, got, one[column].numbers_or_missing(), relative, 0);
    };
    compare_to("bh", benjamini_hochberg(p), 1e-14);
    compare_to("holm", holm(p), 1e-14);
    compare_to("bonferroni", bonferroni(p), 1e-14);
    compare_to("by", benjamini_yekutieli(p), 1e-13);
  }
  root.report_unknown(report);
}

}  // namespace scalemark::stats
