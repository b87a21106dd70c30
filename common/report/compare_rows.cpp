// SPDX-License-Identifier: Apache-2.0
// Log medians, moderated t or Welch, TREAT, Benjamini-Hochberg, TOST.
#include "common/report/compare_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "common/stats/adjust.hpp"
#include "common/stats/moderated.hpp"
#include "common/stats/power.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::report {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
/// Rows from which on a prior of their variances is worth fitting.
constexpr std::size_t kLeastRowsForPrior = 20;

/// A row on its way: what was measured, then what it is tested with.
struct Work {
  CompareRow row;
  std::optional<stats::Contrast> contrast;
  double clock_step = 0;  ///< relative
  std::optional<stats::Estimate> estimate;
};

const RowDigest* first_ok(const std::vector<const RowDigest*>& side) {
  for (const RowDigest* row : side) {
    if (row != nullptr && row->status == Status::ok) return row;
  }
  return nullptr;
}

/// Logarithms of the values that can have one and are of the row's metric; flags tell of the
/// others.
std::vector<double> log_values(const std::vector<const RowDigest*>& side, const CompareRow& row,
                               std::set<std::string>& flags) {
  std::vector<double> logs;
  for (const RowDigest* run : side) {
    if (run == nullptr || run->status != Status::ok) {
      flags.insert("missing_runs");
    } else if (run->metric != row.metric || run->unit != row.unit || run->better != row.better) {
      flags.insert("metric_differs");
    } else if (!std::isfinite(run->value) || run->value <= 0) {
      flags.insert("unusable_value");
    } else {
      logs.push_back(std::log(run->value));
    }
  }
  return logs;
}

/// The coarsest clock of all runs, relative to what it measured.
double clock_step(const PairedRow& pair) {
  double step = 0;
  for (const auto* side : {&pair.a, &pair.b}) {
    for (const RowDigest* run : *side) {
      if (run != nullptr) step = std::max(step, run->relative_resolution);
    }
  }
  return step;
}

bool config_differs(const PairedRow& pair) {
  std::set<std::string> hashes;
  for (const auto* side : {&pair.a, &pair.b}) {
    for (const RowDigest* run : *side) {
      if (run != nullptr && run->status == Status::ok) hashes.insert(run->config_hash);
    }
  }
  return hashes.size() > 1;
}

Work prepare(const PairedRow& pair) {
  Work work;
  CompareRow& row = work.row;
  const RowDigest& model = *first_ok(pair.a);
  row.key = pair.key;
  row.metric = model.metric;
  row.unit = model.unit;
  row.better = model.better;
  row.a = row.b = row.change = row.low = row.high = row.p = row.q = row.detectable = kNan;
  std::set<std::string> flags;
  const std::vector<double> a = log_values(pair.a, row, flags), b = log_values(pair.b, row, flags);
  row.runs_a = static_cast<int>(a.size());
  row.runs_b = static_cast<int>(b.size());
  if (!a.empty()) row.a = std::exp(stats::mean(a));
  if (!b.empty()) row.b = std::exp(stats::mean(b));
  work.contrast = stats::contrast(a, b);
  work.clock_step = clock_step(pair);
  if (work.contrast) {
    // Equal readings of a clock with steps do not mean equal times: variance of a uniform rounding.
    work.contrast = stats::with_floor(*work.contrast, work.clock_step * work.clock_step / 12);
    row.change = std::expm1(work.contrast->difference);
    if (row.runs_a == 1 || row.runs_b == 1) flags.insert("single_run");
  }
  if (config_differs(pair)) flags.insert("config_differs");
  if (row.better == Better::none) flags.insert("no_direction");
  row.flags.assign(flags.begin(), flags.end());
  return work;
}

/// Decides which test the rows get. Returns the prior's degrees of freedom.
double estimate_all(std::vector<Work>& rows, std::string& method) {
  std::vector<stats::Contrast> contrasts;
  double df_limit = 0;
  std::size_t repeated = 0;
  for (const Work& work : rows) {
    if (!work.contrast) continue;
    contrasts.push_back(*work.contrast);
    df_limit += work.contrast->df();
    if (work.contrast->df() > 0) ++repeated;
  }
  if (repeated >= kLeastRowsForPrior) {
    const stats::Prior prior = stats::capped(stats::fit_prior(contrasts).value());
    for (Work& work : rows) {
      if (work.contrast) work.estimate = stats::moderated(*work.contrast, prior, df_limit);
    }
    method = fmt::format(
        "moderated t over {} rows, {:.1f} prior degrees of freedom, typical spread of runs {:.2f} "
        "%",
        repeated, prior.df, 100 * std::sqrt(prior.variance));
    return prior.df;
  }
  for (Work& work : rows) {
    if (!work.contrast || work.contrast->df() <= 0) continue;
    // One run on a side has no variance of its own: that of the other side stands for both.
    const std::optional<stats::Estimate> separate = stats::welch(*work.contrast);
    work.estimate =
        separate ? *separate
                 : stats::moderated(*work.contrast, {}, std::numeric_limits<double>::infinity());
  }
  method = repeated > 0
               ? fmt::format("Welch's t, row by row ({} rows are too few to share their variance)",
                             repeated)
               : std::string("none: no case has more than one run on a side");
  return 0;
}

Verdict verdict_of(const CompareRow& row, const stats::Estimate& estimate,
                   const CompareOptions& options) {
  const bool worse = (estimate.difference > 0) == (row.better == Better::lower);
  if (row.better != Better::none && row.q <= options.alpha)
    return worse ? Verdict::regression : Verdict::improved;
  const double tau = std::log1p(options.threshold);
  return stats::p_outside(estimate, tau) <= options.alpha ? Verdict::same : Verdict::inconclusive;
}

void judge(Work& work, double q, double prior_df, const CompareOptions& options) {
  const stats::Estimate& estimate = *work.estimate;
  const double tau = std::log1p(options.threshold);
  CompareRow& row = work.row;
  row.q = q;
  const stats::Interval interval = stats::confidence_interval(estimate, 0.95);
  row.low = std::expm1(interval.low);
  row.high = std::expm1(interval.high);
  row.detectable = std::expm1(tau + stats::detectable(estimate.variance, estimate.df, row.runs_a,
                                                      row.runs_b, options.alpha));
  row.verdict = verdict_of(row, estimate, options);
  // The rounding is the same in every run: one step of the clock is no change, however often it
  // shows.
  const bool changed = row.verdict == Verdict::regression || row.verdict == Verdict::improved;
  if (changed && std::abs(estimate.difference) < 1.5 * work.clock_step) {
    row.verdict = Verdict::inconclusive;
    row.flags.emplace_back("clock_step");
    return;
  }
  if (row.verdict != Verdict::inconclusive) return;
  // A row that has enough runs and is undecided lies near the threshold: at least one run more.
  row.runs_needed = std::max(stats::runs_needed(estimate.variance, prior_df, tau),
                             std::max(row.runs_a, row.runs_b) + 1);
}

/// Without a test only a large difference is worth a word.
void flag_untested(CompareRow& row, const CompareOptions& options) {
  if (row.better == Better::none || !options.single_run_threshold) return;
  const double worse =
      row.better == Better::higher ? -std::log1p(row.change) : std::log1p(row.change);
  if (worse > std::log1p(*options.single_run_threshold))
    row.flags.emplace_back("over_single_run_threshold");
}

}  // namespace

std::vector<CompareRow> test_rows(const std::vector<PairedRow>& pairs,
                                  const CompareOptions& options, std::string& method) {
  std::vector<Work> rows;
  rows.reserve(pairs.size());
  for (const PairedRow& pair : pairs) rows.push_back(prepare(pair));
  const double prior_df = estimate_all(rows, method);
  const double tau = std::log1p(options.threshold);
  std::vector<double> p;
  for (Work& work : rows) {
    const bool tested = work.estimate && work.row.better != Better::none;
    if (tested) work.row.p = stats::p_beyond(*work.estimate, tau);
    p.push_back(work.row.p);
  }
  const std::vector<double> q = stats::benjamini_hochberg(p);
  std::vector<CompareRow> result;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].estimate) {
      judge(rows[i], q[i], prior_df, options);
    } else {
      flag_untested(rows[i].row, options);
    }
    result.push_back(std::move(rows[i].row));
  }
  return result;
}

}  // namespace scalemark::report
