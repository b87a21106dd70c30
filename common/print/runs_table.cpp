// SPDX-License-Identifier: Apache-2.0
// Computes medians and spreads over runs, and finds the facts in which runs differ.
#include "common/print/runs_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/compare/environment.hpp"
#include "common/compare/join_runs.hpp"
#include "common/print/table_layout.hpp"
#include "common/stats/distributions.hpp"
#include "common/stats/limits.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::print {
namespace {

/// Whether a difference in this fact means that the runs are not repeats: machine, job size, build.
/// A comparison shows build facts as explanations only.
bool is_setup_fact(const std::string& fact) {
  constexpr std::array<std::string_view, 6> kBuild = {"measured_by",       "program.version",
                                                      "program_build_id",  "program.git_revision",
                                                      "program.git_dirty", "mpi_library"};
  return compare::class_of(fact) == compare::FactClass::identity ||
         std::find(kBuild.begin(), kBuild.end(), fact) != kBuild.end();
}

void summarise_values(RunsMetric& metric) {
  const std::vector<double>& values = metric.values;
  metric.median = stats::median(values);
  metric.min = *std::min_element(values.begin(), values.end());
  metric.max = *std::max_element(values.begin(), values.end());
  metric.spread = metric.low = metric.high = stats::kNan;
  if (values.size() < 2 || metric.min <= 0) return;
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));
  metric.spread = stats::stddev(logs);
  const auto runs = static_cast<double>(logs.size());
  const double reach = stats::student_t_quantile(0.975, runs - 1) * metric.spread / std::sqrt(runs);
  metric.low = std::exp(stats::mean(logs) - reach);
  metric.high = std::exp(stats::mean(logs) + reach);
}

/// Adds a value to the metric of this name, unless its unit differs.
void add_value(RunsRow& row, const compare::SecondaryValue& one) {
  if (!std::isfinite(one.value)) return;
  const auto same = [&](const RunsMetric& metric) { return metric.name == one.metric; };
  auto found = std::find_if(row.metrics.begin(), row.metrics.end(), same);
  if (found == row.metrics.end()) {
    RunsMetric metric;
    metric.name = one.metric;
    metric.unit = one.unit;
    metric.better = one.better;
    row.metrics.push_back(std::move(metric));
    found = row.metrics.end() - 1;
  }
  if (found->unit == one.unit) found->values.push_back(one.value);
}

/// Adds a run's values of the case, or the reason why it has none.
void add_run(RunsRow& row, const std::string& label, const compare::RunDigest& run) {
  const auto found = run.rows.find(row.key);
  if (found == run.rows.end()) {
    row.without.push_back({label, std::nullopt, {}});
    return;
  }
  const compare::RowDigest& one = found->second;
  if (one.status != Status::ok || !std::isfinite(one.value)) {
    const bool empty = one.status == Status::ok && one.reason.empty();
    row.without.push_back({label, one.status, empty ? "no number" : one.reason});
    return;
  }
  if (!row.metrics.empty() &&
      (row.metrics.front().name != one.metric || row.metrics.front().unit != one.unit)) {
    row.without.push_back(
        {label, one.status, fmt::format("its metric is {} in {}", one.metric, one.unit)});
    return;
  }
  add_value(row, {one.metric, one.unit, one.better, one.value});
  for (const compare::SecondaryValue& more : one.secondary) add_value(row, more);
}

std::vector<std::string> short_labels(std::span<const compare::RunDigest> runs) {
  std::vector<std::string> names, paths;
  for (const compare::RunDigest& run : runs) {
    names.push_back(std::filesystem::path(run.label).filename().string());
    paths.push_back(run.label);
  }
  const bool all_distinct =
      std::set<std::string>(names.begin(), names.end()).size() == names.size();
  return all_distinct ? names : paths;
}

/// The value of a fact in each run; empty if unknown.
std::vector<std::string> values_of_runs(std::span<const compare::RunDigest> runs,
                                        const std::string& fact) {
  std::vector<std::string> values;
  for (const compare::RunDigest& run : runs) {
    const auto found = run.environment.find(fact);
    const bool known = found != run.environment.end() && compare::is_known(found->second);
    values.push_back(known ? found->second : std::string());
  }
  return values;
}

/// The value of a fact if all runs have the same one; else empty.
std::string common_value(std::span<const compare::RunDigest> runs, const std::string& fact) {
  const std::vector<std::string> values = values_of_runs(runs, fact);
  const bool alike = std::ranges::adjacent_find(values, std::not_equal_to()) == values.end();
  return alike && !values.empty() ? values.front() : std::string();
}

void add_difference(const std::string& fact, const std::vector<std::string>& values,
                    RunsTable& table) {
  RunsDifference difference{fact, {}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].empty()) continue;
    const auto same = [&](const auto& one) { return one.first == values[i]; };
    auto found = std::find_if(difference.values.begin(), difference.values.end(), same);
    if (found == difference.values.end()) found = difference.values.insert(found, {values[i], {}});
    found->second.push_back(table.labels[i]);
  }
  if (difference.values.size() > 1) table.differences.push_back(std::move(difference));
}

/// Whether the host names cannot be compared, as `--redact` replaced each by a different hash. If a
/// hash appears twice, the runs share a secret, and the hashes can be compared.
bool are_unrelated_hashes(const std::vector<std::string>& hosts) {
  static constexpr std::string_view kHash = "host-";
  const auto is_hash = [](const std::string& name) {
    return name.starts_with(kHash) &&
           name.find_first_not_of("0123456789abcdef", kHash.size()) == std::string::npos;
  };
  std::set<std::string> names;
  for (const std::string& host : hosts) {
    if (!is_hash(host) || !names.insert(host).second) return false;
  }
  return true;
}

void find_differences(std::span<const compare::RunDigest> runs, RunsTable& table) {
  std::vector<std::string> hosts;
  for (const compare::RunDigest& run : runs) hosts.push_back(run.nodes);
  if (!are_unrelated_hashes(hosts)) add_difference("hosts", hosts, table);
  std::set<std::string> facts;
  for (const compare::RunDigest& run : runs) {
    for (const auto& [fact, value] : run.environment) {
      if (is_setup_fact(fact)) facts.insert(fact);
    }
  }
  for (const std::string& fact : facts) add_difference(fact, values_of_runs(runs, fact), table);
}

void describe_runs(std::span<const compare::RunDigest> runs, RunsTable& table) {
  table.labels = short_labels(runs);
  table.version = common_value(runs, "program.version");
  table.ranks = common_value(runs, "ranks");
  table.nodes = common_value(runs, "nodes");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const compare::RunDigest& run = runs[i];
    if (table.first.empty() || run.started < table.first) table.first = run.started;
    table.last = std::max(table.last, run.started);
    if (run.complete) continue;
    table.notes.push_back(fmt::format("{} is not complete: {} of {} planned cases", table.labels[i],
                                      run.finished, run.planned));
  }
  find_differences(runs, table);
}

}  // namespace

Status RunsRow::status() const {
  if (!metrics.empty()) return Status::ok;
  for (const RunWithout& one : without) {
    if (one.status) return *one.status;
  }
  return Status::skipped;
}

RunsTable runs_table(std::span<const compare::RunDigest> runs,
                     const std::map<std::string, Point>& params,
                     const std::function<bool(const std::string& key)>& wanted) {
  std::map<std::string, std::string> seen;
  compare::refuse_repeats(runs, seen);
  for (const compare::RunDigest& run : runs) {
    if (!run.stands_for.empty())
      throw UsageError(fmt::format("{} is a baseline of several runs; show it alone", run.label));
  }
  RunsTable table;
  describe_runs(runs, table);
  std::set<std::string> keys;
  for (const compare::RunDigest& run : runs) {
    for (const std::string& key : run.keys) {
      if (!wanted(key) || !keys.insert(key).second) continue;
      RunsRow row{key, {}, {}, {}};
      if (const auto found = params.find(key); found != params.end()) row.params = found->second;
      for (std::size_t i = 0; i < runs.size(); ++i) add_run(row, table.labels[i], runs[i]);
      for (RunsMetric& metric : row.metrics) summarise_values(metric);
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace scalemark::print
