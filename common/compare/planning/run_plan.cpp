// SPDX-License-Identifier: Apache-2.0
// Computes power and cost of further runs.
#include "common/compare/planning/run_plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/compare/join_runs.hpp"
#include "common/compare/planning/noise.hpp"
#include "common/stats/limits.hpp"
#include "common/stats/power.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::compare {
namespace {

/// The part of a change that exceeds the threshold, as a logarithm.
double beyond(double effect, const CompareOptions& options) {
  return std::log1p(effect) - std::log1p(options.threshold);
}

/// The power depends on the level per row, which depends on how many changes are found. Iterates
/// from power 1 downwards until both values agree.
PlanCell cell_of(const Noise& noise, double effect, int runs_a, int runs_b,
                 const CompareOptions& options) {
  constexpr int kMaxSteps = 50;
  constexpr double kConvergence = 0.002;
  PlanCell cell{effect, 0, 1};
  for (int step = 0; step < kMaxSteps; ++step) {
    const double level = level_in_table(options.alpha, noise.rows.size(), cell.power);
    double sum = 0;
    cell.rows = 0;
    for (const RowNoise& row : noise.rows) {
      const double df = row.prior_df + runs_a + runs_b - 2;
      const double power =
          stats::power_of(beyond(effect, options), row.variance, df, runs_a, runs_b, level);
      sum += power;
      if (power >= kPlannedPower) ++cell.rows;
    }
    const double found = sum / static_cast<double>(noise.rows.size());
    const bool converged = cell.power - found < kConvergence;
    cell.power = found;
    if (converged) break;
  }
  return cell;
}

/// Median over runs of a number of a case; runs without it are left out.
template <class Number>
double median_over_runs(std::span<const RunCost> costs, const std::string& key, Number number) {
  std::vector<double> values;
  for (const RunCost& cost : costs) {
    const auto found = cost.cases.find(key);
    if (found == cost.cases.end()) continue;
    const double value = number(found->second);
    if (std::isfinite(value)) values.push_back(value);
  }
  return stats::median(values);
}

PlanRow row_of(const RowNoise& row, const Noise& noise, std::span<const RunCost> costs,
               const RunPlanOptions& options) {
  PlanRow plan;
  plan.key = row.key;
  plan.metric = row.metric;
  plan.spread = std::sqrt(row.variance);
  const double level = level_in_table(options.compare.alpha, noise.rows.size(), kPlannedPower);
  for (const double effect : options.effects) {
    const double size = beyond(effect, options.compare);
    plan.runs_needed.push_back(
        size > 0 ? std::optional(stats::runs_needed(row.variance, row.prior_df, size, level))
                 : std::nullopt);
  }
  plan.seconds =
      median_over_runs(costs, row.key, [](const CaseCost& cost) { return cost.seconds; });
  const double within =
      median_over_runs(costs, row.key, [](const CaseCost& cost) { return cost.within; });
  plan.within = row.variance > 0 ? std::min(1.0, within / row.variance) : stats::kNan;
  if (std::isnan(within)) plan.within = stats::kNan;
  return plan;
}

/// Chooses rows to leave out until the remaining ones fit into the budget. Candidates are rows in
/// which not even the largest effect would be detected, longest first.
void keep_budget(PlanLine& line, const std::vector<PlanRow>& rows, double budget) {
  double excess = line.seconds - budget;
  if (!(excess > 0)) return;
  std::vector<const PlanRow*> undetectable;
  for (const PlanRow& row : rows) {
    const std::optional<int>& needed = row.runs_needed.back();
    if (std::isfinite(row.seconds) && (!needed || *needed > line.runs))
      undetectable.push_back(&row);
  }
  std::stable_sort(undetectable.begin(), undetectable.end(),
                   [](const PlanRow* x, const PlanRow* y) { return x->seconds > y->seconds; });
  for (const PlanRow* row : undetectable) {
    if (excess <= 0) break;
    line.drop.push_back({row->key, row->seconds});
    excess -= line.runs * row->seconds;
  }
  line.fits = excess <= 0;
}

/// Number of base runs, including those summarised by a baseline.
std::size_t count_runs(std::span<const RunDigest> runs, const Noise& noise) {
  std::size_t most = runs.size();
  for (const RowNoise& row : noise.rows) most = std::max(most, static_cast<std::size_t>(row.runs));
  return most;
}

void check(std::span<const RunDigest> runs, std::size_t count, const RunPlanOptions& options) {
  if (count < 2) {
    throw UsageError(fmt::format(
        "--power needs at least 2 runs in BASE, to measure how much runs vary; {} given", count));
  }
  std::map<std::string, std::string> seen;
  refuse_repeats(runs, seen);
  if (options.runs.empty() || options.effects.empty())
    throw Error("a plan needs numbers of runs and effects");
}

void sort_rows(std::vector<PlanRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const PlanRow& x, const PlanRow& y) { return x.spread > y.spread; });
}

}  // namespace

RunPlan plan_runs(std::span<const RunDigest> runs, std::span<const RunCost> costs,
                  const RunPlanOptions& options) {
  const Noise noise = noise_of(runs);
  const std::size_t base_runs = count_runs(runs, noise);
  check(runs, base_runs, options);
  RunPlan plan;
  plan.options = options;
  std::sort(plan.options.runs.begin(), plan.options.runs.end());
  std::sort(plan.options.effects.begin(), plan.options.effects.end());
  plan.base_runs = base_runs;
  plan.typical_spread = noise.typical;
  plan.left_out = noise.left_out;
  std::vector<double> seconds;
  for (const RunCost& cost : costs) {
    plan.nodes = std::max(plan.nodes, cost.nodes);
    if (std::isfinite(cost.seconds)) seconds.push_back(cost.seconds);
  }
  plan.run_seconds = stats::median(seconds);
  if (noise.rows.empty()) return plan;
  for (const RowNoise& row : noise.rows)
    plan.rows.push_back(row_of(row, noise, costs, plan.options));
  sort_rows(plan.rows);
  for (const int count : plan.options.runs) {
    PlanLine line;
    line.runs = count;
    for (const double effect : plan.options.effects) {
      line.both.push_back(cell_of(noise, effect, count, count, options.compare));
      line.against_base.push_back(
          cell_of(noise, effect, static_cast<int>(base_runs), count, options.compare));
    }
    line.seconds = count * plan.run_seconds;
    line.node_hours = line.seconds * static_cast<double>(plan.nodes) / 3600;
    if (options.budget) keep_budget(line, plan.rows, *options.budget);
    plan.lines.push_back(std::move(line));
  }
  return plan;
}

}  // namespace scalemark::compare
