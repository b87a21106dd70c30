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
                     *kForeign = "the baseline is of other CPUs or GPUs",
                     *kNoCase = "no case of the baseline";

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

std::size_t HostBaseline::cases() const {
  std::set<std::string> keys;
  for (const auto& [key, hosts] : factors_) keys.insert(key);
  for (const auto& [key, hosts] : problems_) keys.insert(key);
  return keys.size();
}

std::set<std::string> HostBaseline::compared() const {
  std::set<std::string> all;
  for (const auto& [key, hosts] : factors_)
    for (const auto& [host, one] : hosts) all.insert(host);
  for (const auto& [key, hosts] : problems_)
    for (const auto& [host, why] : hosts) all.insert(host);
  std::erase_if(all, [&](const std::string& host) { return foreign_.contains(host); });
  return all;
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
    if (!foreign_.contains(host))
      all.push_back(said_of(host, one.component, key, node, {}, row.runs));
  }
}

std::vector<LoneHost> HostBaseline::judged() const {
  std::vector<LoneHost> all;
  if (cases() == 0) return all;
  const std::set<std::string> hosts = compared();
  for (const auto& [key, row] : baseline_.rows) {
    judge_times(key, hosts.size() * baseline_.rows.size(), all);
    const auto times = factors_.find(key);
    const auto problems = problems_.find(key);
    for (const std::string& host : hosts) {
      if (times != factors_.end() && times->second.contains(host)) continue;
      const bool was_tried = problems != problems_.end() && problems->second.contains(host);
      const Problem why = was_tried ? problems->second.at(host) : Problem{kNotMeasured, ""};
      all.push_back(
          said_of(host, why.component, key, {fleet::NodeVerdict::bad, 1}, why.reason, row.runs));
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
