// SPDX-License-Identifier: Apache-2.0
// Joins planned cases with the rows of earlier runs.
#include "common/compare/planning/job_plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "common/compare/planning/run_plan.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::compare {
namespace {

/// Rows of other cases would count as further tests.
void keep_only(std::vector<RunDigest>& runs, const std::set<std::string>& planned) {
  for (RunDigest& run : runs) {
    std::erase_if(run.rows, [&](const auto& row) { return !planned.contains(row.first); });
    std::erase_if(run.keys, [&](const std::string& key) { return !planned.contains(key); });
  }
}

/// A baseline stands for several runs.
bool tell_spread(std::span<const RunDigest> runs) {
  return runs.size() > 1 || std::ranges::any_of(runs, [](const RunDigest& run) {
           return std::ranges::any_of(run.rows,
                                      [](const auto& row) { return row.second.runs > 1; });
         });
}

/// Figure, duration, and the reason where there is none.
void add_measured(JobRow& row, std::span<const RunDigest> runs, std::span<const RunCost> costs) {
  std::vector<double> values, seconds;
  for (const RunDigest& run : runs) {
    const auto found = run.rows.find(row.planned.key);
    if (found == run.rows.end()) continue;
    const RowDigest& one = found->second;
    if (one.status != Status::ok || !std::isfinite(one.value)) {
      row.reason = one.reason;
      continue;
    }
    row.metric = one.metric;
    row.unit = one.unit;
    values.push_back(one.value);
  }
  for (const RunCost& cost : costs) {
    const auto found = cost.cases.find(row.planned.key);
    if (found != cost.cases.end() && std::isfinite(found->second.seconds))
      seconds.push_back(found->second.seconds);
  }
  row.measured = !values.empty();
  row.value = stats::median(values);
  row.seconds = stats::median(seconds);
  if (row.measured) row.reason.clear();
}

void add_durations(JobPlan& plan) {
  for (const JobRow& row : plan.rows) {
    if (std::isfinite(row.seconds)) {
      ++plan.measured;
      plan.measured_seconds += row.seconds;
    } else if (row.planned.duration) {
      ++plan.predicted;
      plan.predicted_seconds += *row.planned.duration;
    } else if (row.planned.longest) {
      ++plan.bounded;
      plan.bounded_seconds += *row.planned.longest;
    } else {
      ++plan.unknown;
    }
  }
}

}  // namespace

const JobRow* JobPlan::largest() const {
  const auto found =
      std::ranges::max_element(rows, {}, [](const JobRow& row) { return row.planned.memory; });
  return found == rows.end() || found->planned.memory == 0 ? nullptr : &*found;
}

JobPlan plan_job(std::span<const JobCase> cases, std::vector<RunDigest> runs,
                 std::span<const RunCost> costs, const JobOptions& options) {
  std::set<std::string> planned;
  for (const JobCase& one : cases) planned.insert(one.key);
  keep_only(runs, planned);
  JobPlan plan;
  plan.options = options;
  std::ranges::sort(plan.options.runs);
  plan.runs = runs.size();
  for (const JobCase& one : cases) {
    JobRow row;
    row.planned = one;
    add_measured(row, runs, costs);
    plan.rows.push_back(std::move(row));
  }
  add_durations(plan);
  RunPlan noise;
  if (tell_spread(runs)) {
    noise = plan_runs(runs, costs, {options.compare, plan.options.runs, {options.effect}, {}});
    std::map<std::string, const PlanRow*> known;
    for (const PlanRow& row : noise.rows) known.emplace(row.key, &row);
    for (JobRow& row : plan.rows) {
      const auto found = known.find(row.planned.key);
      if (found == known.end()) continue;
      row.spread = found->second->spread;
      row.runs_needed = found->second->runs_needed.front();
    }
  }
  for (std::size_t i = 0; i < plan.options.runs.size(); ++i) {
    const int count = plan.options.runs[i];
    JobLine line{.runs = count, .seconds = count * plan.run_seconds()};
    line.node_hours = line.seconds * options.nodes / 3600;
    if (i < noise.lines.size()) line.rows_found = noise.lines[i].both.front().rows;
    plan.lines.push_back(line);
  }
  return plan;
}

}  // namespace scalemark::compare
