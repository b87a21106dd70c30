// SPDX-License-Identifier: Apache-2.0
// Computes one number per run (its common shift) and tests it.
#include "common/compare/run_effects.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "common/compare/row_estimates.hpp"
#include "common/stats/limits.hpp"
#include "common/stats/moderated.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::compare {
namespace {

double finite_mean(const std::vector<double>& values) {
  double sum = 0, count = 0;
  for (const double one : values) {
    if (!std::isfinite(one)) continue;
    sum += one;
    ++count;
  }
  return count > 0 ? sum / count : stats::kNan;
}

bool counts(const RowValues& row) {
  return row.cost_sign() != 0 && std::isfinite(finite_mean(row.a)) &&
         std::isfinite(finite_mean(row.b));
}

/// Per run: the median over rows of ln(cost) minus the row's mean over both sides.
std::vector<double> side_effects(const std::vector<RowValues>& rows, bool of_b, std::size_t runs) {
  std::vector<std::vector<double>> beyond(runs);
  for (const RowValues& row : rows) {
    if (!counts(row)) continue;
    const double middle = (finite_mean(row.a) + finite_mean(row.b)) / 2;
    const std::vector<double>& side = of_b ? row.b : row.a;
    for (std::size_t r = 0; r < side.size(); ++r) {
      if (std::isfinite(side[r])) beyond[r].push_back(row.cost(side[r] - middle));
    }
  }
  std::vector<double> effects;
  for (const std::vector<double>& one : beyond) effects.push_back(stats::median(one));
  return effects;
}

bool in_all_counted(const std::vector<double>& side, const std::vector<bool>& used) {
  for (std::size_t r = 0; r < side.size(); ++r) {
    if (used[r] && !std::isfinite(side[r])) return false;
  }
  return true;
}

/// Which runs have at least one of the rows.
std::vector<bool> used_runs(const std::vector<const RowValues*>& rows, bool of_b) {
  std::vector<bool> used((of_b ? rows.front()->b : rows.front()->a).size(), false);
  for (const RowValues* row : rows) {
    const std::vector<double>& side = of_b ? row->b : row->a;
    for (std::size_t r = 0; r < side.size(); ++r) used[r] = used[r] || std::isfinite(side[r]);
  }
  return used;
}

GeometricMean geometric_mean(const std::vector<const RowValues*>& rows, const Design& design) {
  const CompareRow& model = rows.front()->row;
  GeometricMean mean{model.metric, model.unit,  model.better, 0,
                     stats::kNan,  stats::kNan, stats::kNan};
  const std::vector<bool> used_a = used_runs(rows, false), used_b = used_runs(rows, true);
  std::vector<double> a(used_a.size(), 0), b(used_b.size(), 0);
  for (const RowValues* row : rows) {
    if (!in_all_counted(row->a, used_a) || !in_all_counted(row->b, used_b)) continue;
    ++mean.rows;
    for (std::size_t r = 0; r < a.size(); ++r) a[r] += row->a[r];
    for (std::size_t r = 0; r < b.size(); ++r) b[r] += row->b[r];
  }
  if (mean.rows == 0) return mean;
  for (auto* side : {&a, &b}) {
    for (double& sum : *side) sum /= static_cast<double>(mean.rows);
  }
  const std::optional<RowContrast> contrast = contrast_of(a, b, design);
  if (!contrast) return mean;
  mean.change = std::expm1(contrast->difference);
  // A baseline does not keep per-run means, so their variance is unknown.
  if (rows.front()->baseline) return mean;
  if (const auto estimate = estimate_alone(*contrast)) {
    const stats::Interval interval = stats::confidence_interval(*estimate, 0.95);
    mean.low = std::expm1(interval.low);
    mean.high = std::expm1(interval.high);
  }
  return mean;
}

}  // namespace

RunEffects run_effects(const std::vector<RowValues>& rows, std::size_t runs_a, std::size_t runs_b) {
  return {side_effects(rows, false, runs_a), side_effects(rows, true, runs_b)};
}

WholeRunShift whole_run_shift(const RunEffects& effects, const std::vector<RowValues>& rows,
                              const Design& design) {
  WholeRunShift shift{stats::kNan, stats::kNan, stats::kNan, stats::kNan, 0, false};
  shift.rows = static_cast<std::size_t>(std::ranges::count_if(rows, counts));
  const std::optional<RowContrast> contrast = contrast_of(effects.a, effects.b, design);
  if (!contrast) return shift;
  shift.change = std::expm1(contrast->difference);
  const bool baseline =
      std::ranges::any_of(rows, [](const RowValues& row) { return row.baseline.has_value(); });
  const std::optional<stats::Estimate> estimate = estimate_alone(*contrast);
  if (!estimate || baseline) return shift;
  const stats::Interval interval = stats::confidence_interval(*estimate, 0.95);
  shift.low = std::expm1(interval.low);
  shift.high = std::expm1(interval.high);
  shift.p = stats::p_different(*estimate);
  return shift;
}

void remove_effects(const RunEffects& effects, std::vector<RowValues>& rows) {
  const auto remove = [](std::vector<double>& side, const std::vector<double>& of_runs,
                         double sign) {
    for (std::size_t r = 0; r < side.size(); ++r) side[r] -= sign * of_runs[r];
  };
  for (RowValues& row : rows) {
    if (row.cost_sign() == 0) continue;
    remove(row.a, effects.a, row.cost_sign());
    remove(row.b, effects.b, row.cost_sign());
    describe(row);
  }
}

std::vector<GeometricMean> geometric_means(const std::vector<RowValues>& rows,
                                           const Design& design) {
  std::map<std::pair<std::string, std::string>, std::vector<const RowValues*>> classes;
  for (const RowValues& row : rows) {
    if (counts(row)) classes[{row.row.metric, row.row.unit}].push_back(&row);
  }
  std::vector<GeometricMean> means;
  for (const auto& [metric, some] : classes) {
    const GeometricMean mean = geometric_mean(some, design);
    if (mean.rows > 1) means.push_back(mean);
  }
  return means;
}

}  // namespace scalemark::compare
