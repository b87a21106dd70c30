// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/host_baseline.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "common/analysis/host_facts.hpp"
#include "common/base/small_files.hpp"
#include "common/base/ucum.hpp"
#include "common/result/places.hpp"
#include "common/result/summarise.hpp"

namespace scalemark::analysis {
namespace {

constexpr const char *kNotMeasured = "not measured, the baseline has it",
                     *kForeign = "the baseline is of other CPUs or GPUs",
                     *kNoCase = "no case of the baseline",
                     *kNoMetric = "it has no time in the metric of the baseline";

LoneHost said_of(const std::string& host, const std::string& component, const std::string& key,
                 const fleet::LoneNode& judged, const std::string& reason, std::size_t runs) {
  return {.host = host,
          .component = component,
          .key = key,
          .rank = 0,
          .device = {},
          .judged = judged,
          .past = 0,
          .reason = reason,
          .baseline_runs = runs};
}

bool is_other(const std::string& model, const std::set<std::string>& known) {
  return !model.empty() && is_available(model) && !known.empty() && !known.contains(model);
}

/// The time of a case / that of the baseline; nothing if it has none.
std::optional<double> factor_of(const CaseResult& result, const BaselineRow& row) {
  const Metric* const metric = result.find(result.primary_metric);
  if (problem_of(result) || metric == nullptr || metric->name != row.metric) return std::nullopt;
  const double ratio =
      units::base_unit(metric->unit).factor * median_of(result, *metric) / row.value;
  if (!(ratio > 0) || !std::isfinite(ratio)) return std::nullopt;
  return row.better == Better::higher ? 1 / ratio : ratio;
}

}  // namespace

bool HostBaseline::is_foreign(const Run& run, const std::string& host) const {
  return is_other(fact_of(run, host, "cpu_model"), baseline_.cpu_models) ||
         is_other(fact_of(run, host, "gpu_model"), baseline_.gpu_models);
}

void HostBaseline::add(const Run& run, const CaseResult& result) {
  const std::vector<RankInfo> ranks = ranks_of_case(result, run.ranks);
  if (baseline_.rows.empty() || !are_on_one_host(ranks)) return;
  const std::string& host = ranks.front().node;
  hosts_.insert(host);
  if (is_foreign(run, host)) foreign_.insert(host);
  const auto row = baseline_.rows.find(result.key);
  if (row == baseline_.rows.end()) return;
  Outcome& known = outcomes_[result.key][host];
  known.component = component_of(result);
  if (const std::optional<double> factor = factor_of(result, row->second)) {
    known.factor = std::min(*factor, known.factor.value_or(*factor));
    known.problem.clear();
  } else if (!known.factor) {
    known.problem = problem_of(result).value_or(kNoMetric);
  }
}

HostBaseline::Outcome HostBaseline::outcome_of(const std::string& key,
                                               const std::string& host) const {
  const Outcome none{.factor = {}, .component = {}, .problem = kNotMeasured};
  const auto hosts = outcomes_.find(key);
  if (hosts == outcomes_.end()) return none;
  const auto found = hosts->second.find(host);
  return found == hosts->second.end() ? none : found->second;
}

std::set<std::string> HostBaseline::compared() const {
  std::set<std::string> all;
  for (const auto& [key, hosts] : outcomes_) {
    for (const auto& [host, one] : hosts)
      if (!foreign_.contains(host)) all.insert(host);
  }
  return all;
}

std::vector<LoneHost> HostBaseline::judged() const {
  std::vector<LoneHost> all;
  if (outcomes_.empty()) return all;
  const std::set<std::string> hosts = compared();
  for (const auto& [key, row] : baseline_.rows) {
    std::vector<double> factors;
    for (const std::string& host : hosts)
      if (const auto factor = outcome_of(key, host).factor) factors.push_back(*factor);
    const std::vector<fleet::LoneNode> judged =
        fleet::judge_against(factors, row.variance, row.runs, hosts.size() * baseline_.rows.size());
    auto next = judged.begin();
    for (const std::string& host : hosts) {
      const Outcome one = outcome_of(key, host);
      const fleet::LoneNode node =
          one.factor ? *next++ : fleet::LoneNode{fleet::NodeVerdict::bad, 1};
      all.push_back(said_of(host, one.component, key, node, one.problem, row.runs));
    }
  }
  for (const std::string& host : hosts_) {
    if (!hosts.contains(host))
      all.push_back(said_of(host, "", "", {fleet::NodeVerdict::untested, 1},
                            foreign_.contains(host) ? kForeign : kNoCase, 0));
  }
  return all;
}

}  // namespace scalemark::analysis
