// SPDX-License-Identifier: Apache-2.0
// Looks up facts and metrics.
#include "common/result/case_timing.hpp"

namespace scalemark {

bool is_rank_local(const CaseResult& result) {
  const auto fact = result.facts.find("rank_local");
  return fact != result.facts.end() && fact->second == Value(true);
}

const Metric* duration_of(const CaseResult& result, std::string_view metric) {
  const Metric* found = result.find(metric);
  if (found != nullptr && found->kind == MetricKind::rate) found = result.find(found->source);
  return found != nullptr && found->kind == MetricKind::duration ? found : nullptr;
}

}  // namespace scalemark
