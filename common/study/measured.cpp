// SPDX-License-Identifier: Apache-2.0
// Extracts what the tables need of a case.
#include "common/study/measured.hpp"

#include <algorithm>
#include <set>
#include <variant>

#include <fmt/format.h>

#include "common/result/summarise.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::study {
namespace {

/// Longest series that is kept: one value per epoch.
constexpr std::size_t kMaxSeries = 64;

bool is_prefix(const std::string& metric) { return metric.ends_with('*'); }

/// The names in columns of the experiments of a benchmark.
std::set<std::string> wanted_metrics(const std::string& benchmark) {
  std::set<std::string> names;
  for (const Experiment& experiment : experiments()) {
    if (experiment.benchmark != benchmark) continue;
    for (const TableColumn& column : experiment.columns)
      names.insert(column.metrics.begin(), column.metrics.end());
  }
  return names;
}

double sum_over_ranks(const Metric& metric) {
  std::vector<double> sums;
  for (std::size_t i = 0; i < metric.samples.iterations; ++i) {
    if (metric.samples.is_warmup(i)) continue;
    double sum = 0;
    for (std::size_t rank = 0; rank < metric.samples.ranks; ++rank)
      sum += metric.samples.value(rank, i);
    sums.push_back(sum);
  }
  return stats::median(sums);
}

Measure measure_of(const CaseResult& result, const Metric& metric) {
  Measure measure;
  measure.value = measure.sum = median_of(result, metric);
  if (metric.kind == MetricKind::rate) return measure;
  measure.sum = sum_over_ranks(metric);
  if (metric.samples.iterations > 1 && metric.samples.iterations <= kMaxSeries)
    measure.series = every_iteration(metric);
  return measure;
}

void add(std::map<std::string, Measure>& measures, const std::string& name, const Measure& more) {
  Measure& all = measures[name];
  all.value += more.value;
  all.sum += more.sum;
  if (all.series.empty()) all.series = more.series;
}

std::optional<double> as_number(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return std::nullopt;
}

}  // namespace

std::optional<Measured> measured(const CaseResult& result) {
  const std::set<std::string> wanted = wanted_metrics(result.name);
  if (wanted.empty()) return std::nullopt;
  Measured one{.benchmark = result.name,
               .key = result.key,
               .status = result.status,
               .reason = result.reason,
               .params = {},
               .measures = {}};
  for (const auto& [axis, value] : result.params) one.params[axis] = to_text(value);
  const auto count = [&](const char* axis) {
    const auto* found = result.params.find_as<std::int64_t>(axis);
    return found == nullptr ? std::int64_t{1} : std::clamp<std::int64_t>(*found, 1, 1'000'000);
  };
  one.params["gpus"] = std::to_string(count("ranks") * count("replicas"));
  if (result.status == Status::ok && result.verification.wrong > 0) {
    one.status = Status::failed;
    one.reason = "wrong data";
  }
  if (one.status != Status::ok) return one;
  for (const std::string& name : wanted) {
    const std::string prefix = is_prefix(name) ? name.substr(0, name.size() - 1) : "";
    for (const Metric& metric : result.metrics) {
      if (metric.name == name || (!prefix.empty() && metric.name.starts_with(prefix)))
        add(one.measures, name, measure_of(result, metric));
    }
    const auto fact = result.facts.find(name);
    if (fact == result.facts.end()) continue;
    if (const auto number = as_number(fact->second))
      one.measures[name] = {.value = *number, .sum = *number, .series = {}};
  }
  return one;
}

std::string value_of(const Measured& one, const std::string& axis) {
  const auto found = one.params.find(axis);
  return found != one.params.end() ? found->second : std::string(implied_value(axis));
}

bool applies(const Setting& setting, const Measured& one) {
  return setting.of.empty() || std::ranges::count(setting.values, value_of(one, setting.of)) > 0;
}

std::vector<std::string> deviations(const Experiment& experiment, const Measured& one) {
  std::vector<std::string> found;
  for (const Setting& setting : experiment.settings) {
    if (!applies(setting, one)) continue;
    const std::string value = value_of(one, setting.axis);
    if (value != setting.value)
      found.push_back(fmt::format("{}={} (study: {})", setting.axis, value, setting.value));
  }
  return found;
}

std::optional<double> number_of(const TableColumn& column, const Measured& one) {
  double sum = 0;
  for (const std::string& metric : column.metrics) {
    const auto found = one.measures.find(metric);
    if (found == one.measures.end()) return std::nullopt;
    const Measure& measure = found->second;
    if (column.iteration < 0) {
      sum += column.sum_over_ranks ? measure.sum : measure.value;
    } else {
      if (static_cast<std::size_t>(column.iteration) >= measure.series.size()) return std::nullopt;
      sum += measure.series[static_cast<std::size_t>(column.iteration)];
    }
  }
  return sum;
}

}  // namespace scalemark::study
