// SPDX-License-Identifier: Apache-2.0
// Checks moderated t, TREAT, TOST, adjusted p-values and verdicts against limma.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/golden/field.hpp"
#include "common/stats/adjust.hpp"
#include "common/stats/golden/checks.hpp"
#include "common/stats/limits.hpp"
#include "common/stats/moderated.hpp"

namespace scalemark::stats {
namespace {

using golden::Field;
using golden::Report;

constexpr double kAlpha = 0.05;

/// Rows of a case with the parameters of their tests. Rows without a counterpart are empty.
struct Table {
  std::vector<std::optional<Contrast>> rows;
  double tau = 0;
  double pooled_df = 0;  ///< total over the rows with a counterpart

  std::vector<Contrast> matched() const {
    std::vector<Contrast> result;
    for (const auto& row : rows) {
      if (row) result.push_back(*row);
    }
    return result;
  }
  /// One value per row; NaN for rows without a counterpart.
  std::vector<double> column(const std::function<double(const Contrast&)>& value) const {
    std::vector<double> result;
    for (const auto& row : rows) result.push_back(row ? value(*row) : kNan);
    return result;
  }
};

Table read_table(const Field& one) {
  Table table;
  table.tau = one["tau"].number();
  const std::int64_t runs_a = one["runs_a"].integer(), runs_b = one["runs_b"].integer();
  const Field x = one["x"];
  for (std::size_t g = 0; g < x.size(); ++g) {
    const std::vector<double> line = x[g].numbers_or_missing();
    if (runs_a < 0 || runs_b < 0 || line.size() != static_cast<std::size_t>(runs_a + runs_b))
      throw InputError(fmt::format("field '{}' has {} values, not those of {} and {} runs",
                                   x[g].path(), line.size(), runs_a, runs_b));
    const auto split = static_cast<std::size_t>(runs_a);
    table.rows.push_back(contrast(std::span(line).first(split), std::span(line).subspan(split)));
    if (table.rows.back()) table.pooled_df += table.rows.back()->df();
  }
  return table;
}

/// The columns computed with a prior; each is compared if the file contains it.
class Columns {
 public:
  Columns(const Table& table, const Prior& prior, double df_limit, Field expected, Report& report)
      : table_(table), expected_(std::move(expected)), report_(report) {
    for (const auto& row : table.rows) {
      estimates_.push_back(row ? std::optional(moderated(*row, prior, df_limit)) : std::nullopt);
    }
  }

  std::vector<double> of(const std::function<double(const Estimate&)>& value) const {
    std::vector<double> result;
    for (const auto& estimate : estimates_) result.push_back(estimate ? value(*estimate) : kNan);
    return result;
  }
  void compare(const char* name, const std::vector<double>& got, double relative, double absolute) {
    if (!expected_.has(name)) return;
    const Field field = expected_[name];
    report_.all_close(field.path(), got, field.numbers_or_missing(), relative, absolute);
  }
  void compare_p(const char* name, const std::vector<double>& got) {
    compare(name, got, 1e-8, 1e-300);
  }

  void compare_estimates() {
    compare("d", of([](const Estimate& e) { return e.difference; }), 0, 1e-12);
    compare("s_sq_post", of([](const Estimate& e) { return e.variance; }), 1e-9, 0);
    compare("se", of([](const Estimate& e) { return e.standard_error; }), 1e-9, 0);
    compare("df_total", of([](const Estimate& e) { return e.df; }), 1e-8, 0);
    compare("t", of([](const Estimate& e) { return e.difference / e.standard_error; }), 1e-9, 1e-9);
    const double tau = table_.tau;
    const auto treat_t = [tau](const Estimate& e) {
      const double size = std::max(std::abs(e.difference) - tau, 0.0);
      return std::copysign(size, e.difference) / e.standard_error;
    };
    compare("treat_t", of(treat_t), 1e-9, 1e-9);
  }

  void compare_tests() {
    const double tau = table_.tau;
    const std::vector<double> different = of(p_different), same = p_same(), worse = p_worse(),
                              improved = p_improved(),
                              beyond = of([tau](const Estimate&e) { return p_beyond(e, tau); });
    compare_p("p_two_sided", different);
    compare_p("p_bh", benjamini_hochberg(different));
    compare_p("p_holm", holm(different));
    compare_p("treat_p", beyond);
    compare_p("treat_p_bh", benjamini_hochberg(beyond));
    compare_p("p_worse", worse);
    compare_p("q_worse", benjamini_hochberg(worse));
    compare_p("holm_worse", holm(worse));
    compare_p("p_improved", improved);
    compare_p("q_improved", benjamini_hochberg(improved));
    compare_p("p_same", same);
  }

  /// The golden verdicts come from two one-sided families. The command `compare` uses one two-sided
  /// family, which finds more if changes have both signs.
  void compare_verdicts() {
    if (!expected_.has("verdict")) return;
    const Field field = expected_["verdict"];
    const std::vector<double> worse = benjamini_hochberg(p_worse()),
                              improved = benjamini_hochberg(p_improved()), same = p_same();
    if (field.size() != same.size())
      return report_.exact(field.path(), false, "not one verdict a row");
    std::string wrong;
    for (std::size_t g = 0; g < same.size(); ++g) {
      std::string got = "INCONCLUSIVE";
      if (worse[g] <= kAlpha) {
        got = "REGRESSION";
      } else if (improved[g] <= kAlpha) {
        got = "IMPROVED";
      } else if (same[g] <= kAlpha) {
        got = "SAME";
      }
      if (!table_.rows[g]) {
        field[g].number_or_missing();  // null
        continue;
      }
      const std::string want = field[g].text();
      if (got != want && wrong.empty())
        wrong = fmt::format("row {}: got {}, want {}", g, got, text::printable(want, 40));
    }
    report_.exact(field.path(), wrong.empty(), wrong);
  }

 private:
  std::vector<double> p_worse() const {
    return of([tau = table_.tau](const Estimate& e) { return p_more_than(e, tau); });
  }
  std::vector<double> p_improved() const {
    return of([tau = table_.tau](Estimate e) {
      e.difference = -e.difference;
      return p_more_than(e, tau);
    });
  }
  std::vector<double> p_same() const {
    return of([tau = table_.tau](const Estimate& e) { return p_outside(e, tau); });
  }

  const Table& table_;
  Field expected_;
  Report& report_;
  std::vector<std::optional<Estimate>> estimates_;
};

/// Compares t, degrees of freedom and p of Welch's test. Missing if a side has one run, or without
/// any variance.
void compare_welch(const Table& table, Columns& columns) {
  const auto of = [&](double (*value)(const Estimate&)) {
    return table.column([value](const Contrast& row) {
      const std::optional<Estimate> estimate = welch(row);
      return estimate && estimate->standard_error > 0 ? value(*estimate) : kNan;
    });
  };
  columns.compare("welch_t", of([](const Estimate& e) { return e.difference / e.standard_error; }),
                  1e-8, 1e-9);
  columns.compare("welch_df", of([](const Estimate& e) { return e.df; }), 1e-8, 1e-300);
  columns.compare("welch_p", of(p_different), 1e-8, 1e-300);
}

void check_table(const Field& one, Report& report) {
  for (const char* note : {"name", "note", "theta", "rows", "limma_warnings"}) {
    if (one.has(note)) one[note].note();
  }
  const Table table = read_table(one);
  Prior prior{one["d0"].number_or_missing(), one["s0_sq"].number_or_missing()};
  // A stored prior is given, not fitted, so the degrees of freedom have no limit.
  const bool stored = one["name"].text().starts_with("stored_prior");
  if (!stored) {
    const std::vector<Contrast> matched = table.matched();
    const Prior fitted = fit_prior(matched).value_or(Prior{kNan, kNan});
    report.all_close(one["d0"].path(), std::span(&fitted.df, 1), std::span(&prior.df, 1), 1e-8, 0);
    report.all_close(one["s0_sq"].path(), std::span(&fitted.variance, 1),
                     std::span(&prior.variance, 1), 1e-9, 0);
    prior = fitted;
  }
  const double df_limit = stored ? kInfinity : table.pooled_df;
  Columns columns(table, prior, df_limit, one["expected"], report);
  columns.compare(
      "nu", table.column([](const Contrast& row) { return static_cast<double>(row.df()); }), 0, 0);
  columns.compare("s_sq", table.column([](const Contrast& row) { return row.variance; }), 1e-9,
                  1e-24);
  columns.compare_estimates();
  columns.compare_tests();
  columns.compare_verdicts();
  compare_welch(table, columns);
  if (!one.has("capped")) return;
  const Field expected = one["capped"];
  const Prior limited = capped(prior, expected["d0_cap"].number());
  const double used = expected["d0_used"].number_or_missing();
  report.all_close(expected["d0_used"].path(), std::span(&limited.df, 1), std::span(&used, 1), 1e-8,
                   0);
  Columns after(table, limited, df_limit, expected, report);
  after.compare_estimates();
  after.compare_tests();
  after.compare_verdicts();
}

}  // namespace

void check_tables(const nlohmann::json& file, const golden::Options& /*options*/, Report& report) {
  const Field root(file);
  for (const char* note : {"topic", "description"}) {
    if (root.has(note)) root[note].note();
  }
  const Field cases = root["cases"];
  for (std::size_t i = 0; i < cases.size(); ++i) check_table(cases[i], report);
  root.report_unknown(report);
}

}  // namespace scalemark::stats
