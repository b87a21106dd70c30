// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/host_baseline.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "common/analysis/host_facts.hpp"
#include "common/base/ucum.hpp"
#include "common/result/places.hpp"
#include "common/result/summarise.hpp"

namespace scalemark::analysis {
namespace {

constexpr const char *kNotMeasured = "not measured, the baseline has it",
                     *kForeign = "the baseline is of other CPUs or GPUs";

bool is_other(const std::string& model, const std::set<std::string>& known) {
  const bool is_known = !model.empty() && !model.starts_with("unavailable");
  return is_known && !known.empty() && !known.contains(model);
}

/// The time of a case / that of the baseline; nothing if it has none.
std::optional<double> factor_of(const CaseResult& result, const BaselineRow& row) {
  const Metric* const metric = result.find(result.primary_metric);
  if (result.status != Status::ok || result.verification.wrong > 0 || metric == nullptr ||
      metric->name != row.metric)
    return std::nullopt;
  const double ratio =
      units::base_unit(metric->unit).factor * median_of(result, *metric) / row.value;
  if (!(ratio > 0) || !std::isfinite(ratio)) return std::nullopt;
  return row.better == Better::higher ? 1 / ratio : ratio;
}

std::string why_no_time(const CaseResult& result) {
  if (result.verification.wrong > 0)
    return fmt::format("{} of {} values are wrong", result.verification.wrong,
                       result.verification.checked);
  if (result.status == Status::ok) return "it has no time in the metric of the baseline";
  return fmt::format("{}: {}", to_string(result.status), result.reason);
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
  if (const std::optional<double> factor = factor_of(result, row->second)) {
    Measured& best = factors_[result.key]
                         .try_emplace(host, Measured{*factor, component_of(result)})
                         .first->second;
    best.factor = std::min(best.factor, *factor);
  } else {
    problems_[result.key][host] = {why_no_time(result), component_of(result)};
  }
}

void HostBaseline::judge_times(const std::string& key, std::size_t comparisons,
                               std::vector<LoneHost>& all) const {
  const auto found = factors_.find(key);
  if (found == factors_.end()) return;
  const BaselineRow& row = baseline_.rows.at(key);
  std::vector<double> factors;
  for (const auto& [host, one] : found->second) factors.push_back(one.factor);
  const std::vector<fleet::LoneNode> judged =
      fleet::judge_against(factors, row.variance, row.runs, comparisons);
  std::size_t i = 0;
  for (const auto& [host, one] : found->second) {
    const fleet::LoneNode& node = judged[i++];
    if (foreign_.contains(host)) continue;
    all.push_back({.host = host,
                   .component = one.component,
                   .key = key,
                   .rank = 0,
                   .device = {},
                   .judged = node,
                   .past = 0,
                   .reason = {},
                   .baseline_runs = row.runs});
  }
}

std::vector<LoneHost> HostBaseline::judged() const {
  std::vector<LoneHost> all;
  if (factors_.empty()) return all;
  const auto add = [&](const std::string& host, const std::string& component,
                       const std::string& key, fleet::NodeVerdict verdict,
                       const std::string& reason, std::size_t runs) {
    all.push_back({.host = host,
                   .component = component,
                   .key = key,
                   .rank = 0,
                   .device = {},
                   .judged = {verdict, 1},
                   .past = 0,
                   .reason = reason,
                   .baseline_runs = runs});
  };
  for (const auto& [key, row] : baseline_.rows) {
    judge_times(key, hosts_.size() * baseline_.rows.size(), all);
    const auto times = factors_.find(key);
    const auto problems = problems_.find(key);
    for (const std::string& host : hosts_) {
      const bool has_time = times != factors_.end() && times->second.contains(host);
      if (has_time || foreign_.contains(host)) continue;
      const bool was_tried = problems != problems_.end() && problems->second.contains(host);
      const std::pair<std::string, std::string> why =
          was_tried ? problems->second.at(host)
                    : std::pair(std::string(kNotMeasured), std::string());
      add(host, why.second, key, fleet::NodeVerdict::bad, why.first, row.runs);
    }
  }
  for (const std::string& host : foreign_)
    add(host, "", "", fleet::NodeVerdict::untested, kForeign, 0);
  return all;
}

}  // namespace scalemark::analysis
