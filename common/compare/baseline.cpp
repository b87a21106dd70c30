// SPDX-License-Identifier: Apache-2.0
// Writes and reads the tables of a baseline.
#include "common/compare/baseline.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "common/base/counted.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/base/ucum.hpp"
#include "common/compare/environment.hpp"
#include "common/compare/join_runs.hpp"
#include "common/compare/row_estimates.hpp"

namespace scalemark::compare {
namespace {

constexpr const char* kName = "scalemark/baseline";
constexpr std::uint64_t kMaxRuns = 1'000'000;
using Texts = std::vector<std::string>;
using Reals = std::vector<double>;
using Counts = std::vector<std::uint64_t>;

/// One row of table baseline/rows.
struct Row {
  std::string key, metric, unit, better, config_hash;
  double mean_log = 0, variance = 0, resolution = 0;
  std::uint64_t runs = 0;
};

std::optional<Row> row_of(std::span<const RunDigest> runs, const std::string& key) {
  PairedRow pair{key, {}, {}};
  for (const RunDigest& run : runs) {
    const auto found = run.rows.find(key);
    pair.a.push_back(found == run.rows.end() ? nullptr : &found->second);
  }
  const bool any = std::ranges::any_of(
      pair.a, [](const RowDigest* row) { return row != nullptr && row->status == Status::ok; });
  if (!any) return std::nullopt;
  const RowValues values = row_values(pair, true);
  if (values.row.better == Better::none || values.row.runs_a < 2) return std::nullopt;
  // The contrast of A with itself gives the variance of A, with the clock resolution as lower
  // limit.
  const std::optional<RowContrast> both = contrast_of(values.a, values.a, {}, values.clock_step);
  Row row;
  row.key = key;
  row.metric = values.row.metric;
  row.unit = values.row.unit;
  row.better = to_string(values.row.better);
  row.mean_log = std::log(values.row.a);
  row.variance = both->sides->variance_a;
  row.resolution = values.clock_step;
  row.runs = static_cast<std::uint64_t>(values.row.runs_a);
  std::set<std::string> hashes;
  for (const RowDigest* one : pair.a) {
    if (one != nullptr && one->status == Status::ok) hashes.insert(one->config_hash);
  }
  row.config_hash = hashes.size() == 1 ? *hashes.begin() : "differs";
  return row;
}

template <class T>
Column column(const char* name, const std::vector<Row>& rows, T Row::*field) {
  std::vector<T> values;
  for (const Row& row : rows) values.push_back(row.*field);
  return {name, "", std::move(values)};
}

Table rows_table(const std::vector<Row>& rows) {
  return {{column("key", rows, &Row::key), column("metric", rows, &Row::metric),
           column("unit", rows, &Row::unit), column("better", rows, &Row::better),
           column("config_hash", rows, &Row::config_hash), column("mean_log", rows, &Row::mean_log),
           column("variance", rows, &Row::variance), column("resolution", rows, &Row::resolution),
           column("runs", rows, &Row::runs)}};
}

Table families_table(const std::vector<Row>& rows) {
  std::map<std::string, std::vector<stats::SampleVariance>> variances;
  for (const Row& row : rows) {
    const stats::SampleVariance one{row.variance, static_cast<double>(row.runs - 1)};
    variances[row.metric].push_back(one);
    variances[""].push_back(one);
  }
  Texts metrics;
  Reals variance, df;
  for (const auto& [metric, some] : variances) {
    if (some.size() < kMinRowsForPrior) continue;
    const std::optional<stats::Prior> prior = stats::fit_prior(some);
    if (!prior || !(prior->variance > 0)) continue;
    metrics.push_back(metric);
    variance.push_back(prior->variance);
    df.push_back(stats::capped(*prior).df);
  }
  return {{{"metric", "", metrics}, {"prior_variance", "", variance}, {"prior_df", "", df}}};
}

Table facts_table(std::span<const RunDigest> runs) {
  std::set<std::pair<std::string, std::string>> all;
  for (const RunDigest& run : runs) all.insert(run.environment.begin(), run.environment.end());
  Texts facts, values;
  for (const auto& [fact, value] : all) {
    if (class_of(fact) == FactClass::noise) continue;
    facts.push_back(fact);
    values.push_back(value);
  }
  return {{{"fact", "", facts}, {"value", "", values}}};
}

void check_runs(std::span<const RunDigest> runs) {
  if (runs.size() < 2) {
    throw UsageError(fmt::format(
        "a baseline needs at least 2 runs, to measure how much runs vary; {} given", runs.size()));
  }
  for (const RunDigest& run : runs) {
    if (!run.stands_for.empty())
      throw UsageError(fmt::format("{} is a baseline; give the runs themselves", run.label));
  }
  std::map<std::string, std::string> seen;
  refuse_repeats(runs, seen);
}

/// The columns of one table; throws InputError for a missing table or column.
class Columns {
 public:
  Columns(const CaseResult& result, const char* name) : name_(name) {
    const auto found = result.tables.find(name);
    if (found == result.tables.end()) throw InputError(fmt::format("no table {}", name));
    table_ = &found->second;
  }
  template <class T>
  const std::vector<T>& get(const char* column) const {
    for (const Column& one : table_->columns) {
      if (one.name != column) continue;
      if (const auto* values = std::get_if<std::vector<T>>(&one.values)) return *values;
    }
    throw InputError(fmt::format("table {}: no usable column {}", name_, column));
  }

 private:
  const char* name_;
  const Table* table_;
};

void take_rows(const CaseResult& result, RunDigest& digest) {
  const Columns columns(result, "baseline/rows");
  const Texts &keys = columns.get<std::string>("key"),
              &metrics = columns.get<std::string>("metric"),
              &unit_names = columns.get<std::string>("unit"),
              &better = columns.get<std::string>("better"),
              &hashes = columns.get<std::string>("config_hash");
  const Reals &means = columns.get<double>("mean_log"),
              &variances = columns.get<double>("variance"),
              &resolutions = columns.get<double>("resolution");
  const Counts& runs = columns.get<std::uint64_t>("runs");
  for (std::size_t i = 0; i < keys.size(); ++i) {
    RowDigest row;
    row.metric = text::printable(metrics[i]);
    const units::BaseUnit unit = units::base_unit(unit_names[i]);
    row.unit = text::printable(unit.unit);
    row.better = better_from(better[i]);
    row.value = unit.factor * std::exp(means[i]);
    row.relative_resolution = resolutions[i];
    row.config_hash = hashes[i];
    row.variance = variances[i];
    const bool usable = std::isfinite(means[i]) && variances[i] >= 0 &&
                        std::isfinite(variances[i]) && resolutions[i] >= 0 &&
                        std::isfinite(resolutions[i]) && runs[i] >= 2 && runs[i] <= kMaxRuns;
    const std::string key = text::printable(keys[i]);
    if (!usable)
      throw InputError(
          fmt::format("row '{}': impossible numbers; the baseline file is damaged", key));
    row.runs = static_cast<int>(runs[i]);
    if (!digest.rows.emplace(key, row).second)
      throw InputError(fmt::format("row '{}' is there twice", key));
    digest.keys.push_back(key);
  }
}

void take_families(const CaseResult& result, RunDigest& digest) {
  const Columns columns(result, "baseline/families");
  const Texts& metrics = columns.get<std::string>("metric");
  const Reals &variance = columns.get<double>("prior_variance"),
              &df = columns.get<double>("prior_df");
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const bool usable =
        variance[i] > 0 && std::isfinite(variance[i]) && df[i] > 0 && df[i] <= stats::kMaxPriorDf;
    if (!usable)
      throw InputError("impossible prior of the variances; the baseline file is damaged");
    digest.priors[text::printable(metrics[i])] = {df[i], variance[i]};
  }
}

}  // namespace

Run make_baseline(std::span<const RunDigest> runs) {
  check_runs(runs);
  std::vector<Row> rows;
  std::set<std::string> seen;
  Texts uuids;
  for (const RunDigest& run : runs) {
    uuids.push_back(run.uuid);
    for (const std::string& key : run.keys) {
      if (!seen.insert(key).second) continue;
      if (std::optional<Row> row = row_of(runs, key)) rows.push_back(std::move(*row));
    }
  }
  if (rows.empty())
    throw UsageError("no case has usable values from two runs: no baseline was made");
  CaseResult result;
  result.name = kName;
  result.key = kName;
  result.status = Status::skipped;
  result.reason = fmt::format("a baseline of {} and {}", text::counted(runs.size(), "run"),
                              text::counted(rows.size(), "case"));
  result.tables = {{"baseline/rows", rows_table(rows)},
                   {"baseline/families", families_table(rows)},
                   {"baseline/facts", facts_table(runs)},
                   {"baseline/runs", {{{"uuid", "", uuids}}}}};
  Run baseline;
  baseline.complete = true;
  baseline.planned = {result.key};
  baseline.cases = {std::move(result)};
  return baseline;
}

bool is_baseline(const CaseResult& result) {
  return result.name == kName && result.tables.contains("baseline/rows");
}

std::vector<RunDigest> known_environments(const RunDigest& baseline) {
  std::vector<RunDigest> runs(1);
  for (const auto& [fact, values] : baseline.known_values) {
    while (runs.size() < values.size()) runs.push_back(runs.back());
    std::size_t i = 0;
    for (const std::string& value : values) runs[i++].environment[fact] = value;
    for (; i < runs.size(); ++i) runs[i].environment[fact] = *values.begin();
  }
  return runs;
}

RunDigest baseline_digest(const CaseResult& result, const std::string& label) {
  RunDigest digest;
  digest.label = text::printable(label);
  try {
    take_rows(result, digest);
    take_families(result, digest);
    const Columns facts(result, "baseline/facts"), runs(result, "baseline/runs");
    const Texts &names = facts.get<std::string>("fact"), &values = facts.get<std::string>("value");
    for (std::size_t i = 0; i < names.size(); ++i)
      digest.known_values[text::printable(names[i])].insert(text::printable(values[i]));
    digest.stands_for = runs.get<std::string>("uuid");
    if (digest.stands_for.size() < 2) throw InputError("a baseline of fewer than two runs");
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: baseline: {}", digest.label, error.what()));
  }
  return digest;
}

}  // namespace scalemark::compare
