// SPDX-License-Identifier: Apache-2.0
// Runs reduced for comparing.
#include "common/report/digest.hpp"

#include <limits>

#include <fmt/format.h>

#include "common/base/text.hpp"
#include "common/report/environment.hpp"
#include "common/result/summarise.hpp"

namespace scalemark::report {
namespace {

/// One count of an integer clock in relation to the median time, for a duration or a rate of one.
double relative_resolution(const CaseResult& result, const Metric& metric) {
  const Metric* timed = metric.kind == MetricKind::rate ? result.find(metric.source) : &metric;
  if (timed == nullptr || timed->kind != MetricKind::duration) return 0;
  if (!std::holds_alternative<std::vector<std::uint64_t>>(timed->samples.values)) return 0;
  const double step = timed->samples.scale / static_cast<double>(timed->samples.inner);
  const double time = median_of(result, *timed);
  return time > 0 ? step / time : 0;
}

RowDigest row_of(const CaseResult& result) {
  RowDigest row;
  row.status = result.status;
  row.reason = text::printable(result.reason);
  row.config_hash = result.config_hash;
  row.value = std::numeric_limits<double>::quiet_NaN();
  if (result.verification.wrong > 0) {
    row.status = Status::failed;
    row.reason = fmt::format("wrong data: {} of {} elements", result.verification.wrong,
                             result.verification.checked);
  }
  const Metric* metric = result.find(result.primary_metric);
  if (row.status != Status::ok || metric == nullptr) return row;
  row.metric = text::printable(metric->name);
  row.unit = text::printable(metric->unit);
  row.better = metric->better;
  row.value = median_of(result, *metric);
  row.relative_resolution = relative_resolution(result, *metric);
  return row;
}

}  // namespace

void add_case(const CaseResult& result, RunDigest& run) {
  ++run.finished;
  const std::string key = text::printable(result.key);
  if (run.rows.emplace(key, row_of(result)).second) run.keys.push_back(key);
}

RunDigest digest(const Run& run, const std::string& label) {
  RunDigest result;
  result.uuid = run.uuid;
  result.label = text::printable(label);
  result.complete = run.complete;
  result.planned = run.planned.size();
  for (const CaseResult& one : run.cases) add_case(one, result);
  result.environment = environment_facts(run);
  return result;
}

}  // namespace scalemark::report
