// SPDX-License-Identifier: Apache-2.0
// Tests the rows: TREAT with Benjamini-Hochberg or Holm for changes, TOST for SAME.
#include "common/compare/test_rows.hpp"

#include <algorithm>
#include <cmath>

#include "common/compare/row_estimates.hpp"
#include "common/stats/adjust.hpp"
#include "common/stats/decision.hpp"
#include "common/stats/power.hpp"

namespace scalemark::compare {
namespace {

constexpr const char* kOverSingleRun = "over_single_run_threshold";
constexpr const char* kClockStep = "clock_step";

Verdict verdict_of(const CompareRow& row, const stats::Estimate& estimate,
                   const CompareOptions& options) {
  const bool worse = (estimate.difference > 0) == (row.better == Better::lower);
  if (row.better != Better::none && row.q <= options.alpha)
    return worse ? Verdict::regression : Verdict::improved;
  const double tau = std::log1p(options.threshold);
  return stats::p_outside(estimate, tau) <= options.alpha ? Verdict::same : Verdict::inconclusive;
}

void judge(RowValues& values, const RowEstimate& found, double q, const Design& design,
           const CompareOptions& options) {
  const stats::Estimate& estimate = *found.test;
  const double tau = std::log1p(options.threshold);
  CompareRow& row = values.row;
  row.q = q;
  row.change = std::expm1(estimate.difference);
  const stats::Interval interval = stats::confidence_interval(estimate, 0.95);
  row.low = std::expm1(interval.low);
  row.high = std::expm1(interval.high);
  // The difference within a block has the variance of two runs.
  const double variance = design.paired() ? estimate.variance / 2 : estimate.variance;
  row.detectable = std::expm1(
      tau + stats::detectable(variance, estimate.df, row.runs_a, row.runs_b, options.alpha));
  row.verdict = verdict_of(row, estimate, options);
  // Rounding repeats in every run, so a difference of one clock step is no evidence of a change.
  const bool changed = row.verdict == Verdict::regression || row.verdict == Verdict::improved;
  if (changed && std::abs(estimate.difference) < 1.5 * values.clock_step) {
    row.verdict = Verdict::inconclusive;
    row.flags.emplace_back(kClockStep);
    return;
  }
  row.beyond_threshold = estimate.difference != 0 && (interval.low > tau || interval.high < -tau);
}

/// Converts a tested row to the input of stats::runs_to_decide().
stats::TestedRow tested_row(const CompareRow& row, const RowEstimate& found, const Design& design) {
  const stats::Estimate& test = *found.test;
  const bool paired = design.paired();
  stats::TestedRow tested;
  tested.difference = test.difference;
  tested.runs_a = row.runs_a;
  tested.runs_b = row.runs_b;
  tested.paired = paired;
  tested.prior_df = found.prior_df;
  const int runs = std::min(row.runs_a, row.runs_b);
  const double scale = paired ? 1.0 / runs : 1.0 / row.runs_a + 1.0 / row.runs_b;
  const double own_df = paired ? runs - 1 : row.runs_a + row.runs_b - 2;
  const bool alone = found.prior_df == 0 && own_df > 0;
  tested.noise = {test.standard_error * test.standard_error / scale, alone ? own_df : test.df};
  if (alone) tested.df_share = test.df / own_df;
  tested.directed = row.better != Better::none;
  tested.changed = row.verdict == Verdict::regression || row.verdict == Verdict::improved;
  const bool clock_step = std::ranges::find(row.flags, kClockStep) != row.flags.end();
  tested.is_open = row.verdict == Verdict::inconclusive && !clock_step;
  return tested;
}

/// Sets runs_needed of inconclusive rows. Not for rows flagged clock_step: more runs cannot decide
/// them.
void plan_open_rows(std::vector<RowValues>& rows, const std::vector<RowEstimate>& estimates,
                    const Design& design, const CompareOptions& options) {
  std::vector<stats::TestedRow> tested;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!estimates[i].test) continue;
    tested.push_back(tested_row(rows[i].row, estimates[i], design));
    places.push_back(i);
  }
  const std::vector<std::optional<int>> needed =
      stats::runs_to_decide(tested, {std::log1p(options.threshold), options.alpha, options.fwer});
  for (std::size_t i = 0; i < places.size(); ++i) rows[places[i]].row.runs_needed = needed[i];
}

/// Flags an untested row if it is worse by more than single_run_threshold.
void flag_untested(CompareRow& row, const CompareOptions& options) {
  if (row.better == Better::none || !options.single_run_threshold) return;
  const double worse =
      row.better == Better::higher ? -std::log1p(row.change) : std::log1p(row.change);
  if (worse > std::log1p(*options.single_run_threshold)) row.flags.emplace_back(kOverSingleRun);
}

}  // namespace

bool counts_as_regression(const CompareRow& row) {
  return row.verdict == Verdict::regression ||
         std::ranges::find(row.flags, kOverSingleRun) != row.flags.end();
}

void test_rows(std::vector<RowValues>& rows, const Design& design, const CompareOptions& options,
               std::string& method) {
  const std::vector<RowEstimate> estimates = estimate_rows(rows, design, options.priors, method);
  const double tau = std::log1p(options.threshold);
  std::vector<double> p;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool tested = estimates[i].test && rows[i].row.better != Better::none;
    if (tested) rows[i].row.p = stats::p_beyond(*estimates[i].test, tau);
    p.push_back(rows[i].row.p);
  }
  const std::vector<double> q = options.fwer ? stats::holm(p) : stats::benjamini_hochberg(p);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (estimates[i].test) {
      judge(rows[i], estimates[i], q[i], design, options);
    } else {
      flag_untested(rows[i].row, options);
    }
  }
  if (options.plan_open_rows) plan_open_rows(rows, estimates, design, options);
}

}  // namespace scalemark::compare
