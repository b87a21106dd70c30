// SPDX-License-Identifier: Apache-2.0
// Estimates the variance between runs of each row, moderated over rows.
#include "common/compare/planning/noise.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "common/compare/row_estimates.hpp"
#include "common/stats/limits.hpp"
#include "common/stats/moderated.hpp"
#include "common/stats/power.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::compare {
namespace {

/// A row and its own variance, before moderation.
struct Measured {
  RowNoise row;
  stats::SampleVariance own;
};

bool is_usable(const RowDigest& one) {
  return one.status == Status::ok && std::isfinite(one.value) && one.value > 0;
}

/// Reduces a case to mean and variance over runs. Fewer than two runs may have usable values.
Measured measured(std::span<const RunDigest> runs, const std::string& key) {
  Measured result;
  RowNoise& row = result.row;
  std::vector<double> logs;
  double clock_step = 0, squares = 0;
  for (const RunDigest& run : runs) {
    const auto found = run.rows.find(key);
    if (found == run.rows.end() || !is_usable(found->second)) continue;
    const RowDigest& one = found->second;
    if (logs.empty()) {
      row.metric = one.metric;
      row.unit = one.unit;
      row.better = one.better;
    }
    if (one.metric != row.metric || one.unit != row.unit || one.better != row.better) continue;
    logs.push_back(std::log(one.value));
    clock_step = std::max(clock_step, one.relative_resolution);
    const bool many = one.runs > 1 && std::isfinite(one.variance);
    row.runs += many ? one.runs : 1;
    if (many) squares += (one.runs - 1) * one.variance;
  }
  row.key = key;
  if (row.runs < 2) return result;
  row.value = std::exp(stats::mean(logs));
  const double spread = stats::stddev(logs);
  squares += spread * spread * static_cast<double>(logs.size() - 1);
  const int df = row.runs - 1;
  result.own = {std::max(squares / df, clock_step * clock_step / 12), static_cast<double>(df)};
  return result;
}

/// Moderates the variances of `rows` with a prior fitted to `prior_rows`. With too few such rows,
/// each row keeps its own variance.
void moderate(const std::vector<Measured*>& rows, const std::vector<Measured*>& prior_rows) {
  stats::Prior prior;
  double df_limit = stats::kInfinity;
  if (prior_rows.size() >= kMinRowsForPrior) {
    std::vector<stats::SampleVariance> variances;
    df_limit = 0;
    for (const Measured* one : prior_rows) {
      variances.push_back(one->own);
      df_limit += one->own.df;
    }
    prior = stats::capped(stats::fit_prior(variances).value());
  }
  for (Measured* one : rows) {
    one->row.variance = stats::moderated(0, one->own, 1, prior, df_limit).variance;
    one->row.prior_df = prior.df;
  }
}

void moderate_all(std::vector<Measured>& rows) {
  std::map<std::string, std::vector<Measured*>> by_metric;
  std::vector<Measured*> all;
  for (Measured& one : rows) {
    by_metric[one.row.metric].push_back(&one);
    all.push_back(&one);
  }
  for (const auto& [metric, members] : by_metric)
    moderate(members, members.size() >= kMinRowsForPrior ? members : all);
}

}  // namespace

Noise noise_of(std::span<const RunDigest> runs) {
  Noise noise;
  std::vector<Measured> rows;
  std::set<std::string> seen;
  for (const RunDigest& run : runs) {
    for (const std::string& key : run.keys) {
      if (!seen.insert(key).second) continue;
      Measured row = measured(runs, key);
      if (row.row.runs >= 2 && row.row.better != Better::none) {
        rows.push_back(std::move(row));
      } else if (row.row.runs > 0) {
        noise.left_out.push_back(key);
      }
    }
  }
  moderate_all(rows);
  std::vector<double> spreads;
  for (Measured& one : rows) {
    spreads.push_back(std::sqrt(one.row.variance));
    noise.rows.push_back(std::move(one.row));
  }
  noise.typical = stats::median(spreads);
  return noise;
}

double level_in_table(double alpha, std::size_t rows, double found) {
  const auto all = static_cast<double>(rows);
  return alpha * std::max(1.0, kChangedShare * all * found) / std::max(1.0, all);
}

double detectable_change(const RowNoise& row, const Noise& noise, int runs_a, int runs_b,
                         double threshold, double alpha) {
  const double df = row.prior_df + runs_a + runs_b - 2;
  const double level = level_in_table(alpha, noise.rows.size(), kPlannedPower);
  return std::expm1(std::log1p(threshold) +
                    stats::detectable(row.variance, df, runs_a, runs_b, level, kPlannedPower));
}

}  // namespace scalemark::compare
