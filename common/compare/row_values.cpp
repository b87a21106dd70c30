// SPDX-License-Identifier: Apache-2.0
// Collects the logarithms of the runs' values for each row, and flags the unusable ones.
#include "common/compare/row_values.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "common/stats/limits.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::compare {
namespace {

const RowDigest* first_ok(const std::vector<const RowDigest*>& side) {
  for (const RowDigest* row : side) {
    if (row != nullptr && row->status == Status::ok) return row;
  }
  return nullptr;
}

bool is_other_metric(const RowDigest& run, const CompareRow& row) {
  return run.metric != row.metric || run.unit != row.unit || run.better != row.better;
}

/// "latency in s, lower is better"
std::string describe_metric(const std::string& metric, const std::string& unit, Better better) {
  if (metric.empty()) return "no metric";
  const std::string direction =
      better == Better::none ? "" : fmt::format(", {} is better", to_string(better));
  return fmt::format("{} in {}{}", metric, unit, direction);
}

double log_value(const RowDigest* run, const CompareRow& row, std::set<std::string>& flags) {
  if (run == nullptr || run->status != Status::ok) {
    flags.insert("missing_runs");
  } else if (is_other_metric(*run, row)) {
    flags.insert(kMetricDiffers);
  } else if (!std::isfinite(run->value) || run->value <= 0) {
    flags.insert(kUnusableValue);
  } else {
    return std::log(run->value);
  }
  return stats::kNan;
}

/// Flags that noise alone can cause, grouped by finding. Empty for other flags.
std::string chance_group(const std::string& flag) {
  if (flag == "warmup_short" || flag == "not_steady") return "unsteady";
  return flag == "few_effective_samples" ? flag : "";
}

/// Counts the flags of a side's runs. A flag that noise can cause counts only if at least half of
/// the runs have it.
void count_flags(const std::vector<const RowDigest*>& side, std::size_t& runs,
                 std::map<std::string, std::size_t>& counts) {
  std::vector<const RowDigest*> own;
  std::ranges::copy_if(side, std::back_inserter(own), [](const RowDigest* run) {
    return run != nullptr && run->status == Status::ok;
  });
  runs += own.size();
  std::map<std::string, std::size_t> having;
  for (const RowDigest* run : own) {
    std::set<std::string> groups;
    for (const std::string& flag : run->flags) groups.insert(chance_group(flag));
    for (const std::string& group : groups) ++having[group];
  }
  for (const RowDigest* run : own) {
    for (const std::string& flag : run->flags) {
      const std::string group = chance_group(flag);
      if (group.empty() || 2 * having[group] >= own.size()) ++counts[flag];
    }
  }
}

/// Adds the flags of runs, with their number unless all runs have them: "throttled:2".
void add_run_flags(const PairedRow& pair, std::set<std::string>& flags) {
  std::map<std::string, std::size_t> counts;
  std::size_t runs = 0;
  for (const auto* side : {&pair.a, &pair.b}) count_flags(*side, runs, counts);
  for (const auto& [flag, count] : counts)
    flags.insert(count == runs ? flag : fmt::format("{}:{}", flag, count));
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

std::vector<SecondaryMetric> secondary_of(const PairedRow& pair) {
  std::vector<SecondaryMetric> secondary;
  for (const SecondaryValue& model : first_ok(pair.a)->secondary) {
    const auto mean_of = [&](const std::vector<const RowDigest*>& side) {
      std::vector<double> logs;
      for (const RowDigest* run : side) {
        if (run == nullptr) continue;
        for (const SecondaryValue& one : run->secondary) {
          if (one.metric == model.metric && one.unit == model.unit && one.value > 0)
            logs.push_back(std::log(one.value));
        }
      }
      return std::exp(stats::mean(logs));
    };
    const double a = mean_of(pair.a), b = mean_of(pair.b);
    secondary.push_back({model.metric, model.unit, model.better, a, b, b / a - 1});
  }
  return secondary;
}

/// The baseline's runs and variance, for use as side A of a contrast.
std::optional<stats::Contrast> baseline_of(const PairedRow& pair) {
  if (pair.a.size() != 1 || pair.a[0] == nullptr || pair.a[0]->runs == 1) return std::nullopt;
  stats::Contrast side;
  side.runs_a = pair.a[0]->runs;
  side.variance_a = pair.a[0]->variance;
  return side;
}

}  // namespace

std::vector<double> finite_values(const std::vector<double>& values) {
  std::vector<double> some;
  std::ranges::copy_if(values, std::back_inserter(some), [](double x) { return std::isfinite(x); });
  return some;
}

double RowValues::cost_sign() const {
  return row.better == Better::none ? 0 : row.better == Better::higher ? -1 : 1;
}

Unusable why_unusable(const std::vector<const RowDigest*>& side, const CompareRow& row) {
  for (const RowDigest* run : side) {
    if (run == nullptr || run->status != Status::ok) continue;
    if (!is_other_metric(*run, row))
      return {"unusable", fmt::format("{} is {} {} in B", row.metric, run->value, row.unit)};
    return {"other metric",
            fmt::format("{} in A; {} in B", describe_metric(row.metric, row.unit, row.better),
                        describe_metric(run->metric, run->unit, run->better))};
  }
  return {"absent", ""};
}

void describe(RowValues& values) {
  CompareRow& row = values.row;
  const std::vector<double> a = finite_values(values.a), b = finite_values(values.b);
  row.runs_a = static_cast<int>(a.size());
  row.runs_b = static_cast<int>(b.size());
  if (values.baseline && !a.empty()) row.runs_a = values.baseline->runs_a;
  row.a = a.empty() ? stats::kNan : std::exp(stats::mean(a));
  row.b = b.empty() ? stats::kNan : std::exp(stats::mean(b));
  row.change = a.empty() || b.empty() ? stats::kNan : std::expm1(stats::mean(b) - stats::mean(a));
}

RowValues row_values(const PairedRow& pair, bool flag_configs) {
  RowValues values;
  CompareRow& row = values.row;
  const RowDigest& model = *first_ok(pair.a);
  row.key = pair.key;
  row.metric = model.metric;
  row.unit = model.unit;
  row.better = model.better;
  row.low = row.high = row.p = row.q = row.detectable = stats::kNan;
  std::set<std::string> flags;
  for (const RowDigest* run : pair.a) values.a.push_back(log_value(run, row, flags));
  for (const RowDigest* run : pair.b) values.b.push_back(log_value(run, row, flags));
  for (const auto* side : {&pair.a, &pair.b}) {
    for (const RowDigest* run : *side) {
      if (run != nullptr) values.clock_step = std::max(values.clock_step, run->relative_resolution);
    }
  }
  values.baseline = baseline_of(pair);
  describe(values);
  if (std::isfinite(row.change) && (row.runs_a == 1 || row.runs_b == 1)) flags.insert("single_run");
  add_run_flags(pair, flags);
  if (flag_configs && config_differs(pair)) flags.insert("config_differs");
  if (row.better == Better::none) flags.insert("no_direction");
  row.flags.assign(flags.begin(), flags.end());
  row.secondary = secondary_of(pair);
  return values;
}

}  // namespace scalemark::compare
