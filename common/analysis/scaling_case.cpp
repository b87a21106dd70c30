// SPDX-License-Identifier: Apache-2.0
// Extracts workers, time, work and rate from a case for the scaling analysis.
#include <algorithm>
#include <cmath>

#include "common/analysis/scaling.hpp"
#include "common/base/key.hpp"
#include "common/result/summarise.hpp"

namespace scalemark::analysis {
namespace {

constexpr std::int64_t kMaxWorkers = 1'000'000'000;

/// A positive integer among axes or facts.
std::optional<double> count_of(const NamedValues& values, const std::string& name) {
  const auto* value = find_as<std::int64_t>(values, name);
  if (value == nullptr || *value < 1) return std::nullopt;
  return static_cast<double>(*value);
}

std::int64_t workers_of(const NamedValues& params) {
  const double workers =
      count_of(params, "ranks").value_or(1) * count_of(params, "replicas").value_or(1);
  return workers <= kMaxWorkers ? static_cast<std::int64_t>(workers) : 0;
}

bool counts_things_per_second(const Metric& metric) {
  return metric.unit.starts_with('{') && metric.unit.ends_with("}/s");
}

void find_rate(const CaseResult& result, ScalingCase& one) {
  const auto metric = std::ranges::find_if(result.metrics, counts_things_per_second);
  if (metric == result.metrics.end()) return;
  const double rate = median_of(result, *metric);
  if (!std::isfinite(rate) || rate <= 0) return;
  one.rate = rate;
  one.rate_name = metric->name;
  one.rate_unit = metric->unit;
}

void find_work(const CaseResult& result, ScalingCase& one) {
  const Metric* steps = result.find("step_time");
  const std::optional<double> batch = count_of(result.params.values(), "batch");
  if (const std::optional<double> images = count_of(result.facts, "images_seen")) {
    one.work = *images;
    one.work_rule = "images_seen";
  } else if (steps != nullptr && steps->samples.iterations > 0 && batch) {
    one.work = static_cast<double>(steps->samples.iterations) * *batch *
               count_of(result.params.values(), "accumulation").value_or(1) *
               count_of(result.params.values(), "ranks").value_or(1);
    one.work_rule = "samples: steps x batch x accumulation x ranks";
  } else if (one.rate > 0) {
    one.work = one.rate * one.time;
    one.work_rule = one.rate_name + " x total_time";
  }
}

}  // namespace

std::optional<ScalingCase> scaling_case(const CaseResult& result) {
  const Metric* total = result.find("total_time");
  if (result.status != Status::ok || total == nullptr) return std::nullopt;
  ScalingCase one;
  one.workers = workers_of(result.params.values());
  one.time = median_of(result, *total);
  if (one.workers < 1 || !std::isfinite(one.time) || one.time <= 0) return std::nullopt;
  one.key = result.key;
  static const std::vector<AxisMap> kAnyWorkers = {parse_axis_map("ranks=drop"),
                                                   parse_axis_map("replicas=drop")};
  one.curve = mapped_key(result.key, kAnyWorkers, false);
  find_rate(result, one);
  find_work(result, one);
  return one;
}

}  // namespace scalemark::analysis
