// SPDX-License-Identifier: Apache-2.0
#include "common/analysis/host_baseline.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/analysis/host_facts.hpp"
#include "common/base/error.hpp"
#include "common/base/text.hpp"
#include "common/base/ucum.hpp"
#include "common/result/places.hpp"
#include "common/result/summarise.hpp"

namespace scalemark::analysis {
namespace {

void expect_model(const std::string& host, const char* what, const std::string& model,
                  const std::set<std::string>& known) {
  if (model.empty() || known.empty() || known.contains(model)) return;
  throw InputError(
      fmt::format("--baseline is of other machines: the {} of host {} is '{}', those "
                  "of its runs were '{}'",
                  what, text::printable(host, 60), text::printable(model, 100),
                  text::printable(fmt::format("{}", fmt::join(known, "', '")), 200)));
}

}  // namespace

void HostBaseline::expect_models(const Run& run, const RankInfo& rank) const {
  expect_model(rank.node, "CPU", fact_of(run, rank.node, "cpu_model"), baseline_.cpu_models);
  expect_model(rank.node, "GPU", rank.gpu_model, baseline_.gpu_models);
}

void HostBaseline::add(const Run& run, const CaseResult& result) {
  const auto row = baseline_.rows.find(result.key);
  if (row == baseline_.rows.end() || result.status != Status::ok) return;
  const std::vector<RankInfo> ranks = ranks_of_case(result, run.ranks);
  const Metric* const metric = result.find(result.primary_metric);
  if (!are_on_one_host(ranks) || metric == nullptr || metric->name != row->second.metric) return;
  for (const RankInfo& rank : ranks) expect_models(run, rank);
  const double value = units::base_unit(metric->unit).factor * median_of(result, *metric);
  const double ratio = value / row->second.value;
  if (!(ratio > 0) || !std::isfinite(ratio)) return;
  const double factor = row->second.better == Better::higher ? 1 / ratio : ratio;
  const auto [best, is_first] =
      factors_[result.key].try_emplace(ranks.front().node, Measured{factor, component_of(result)});
  best->second.factor = std::min(best->second.factor, factor);
}

std::vector<LoneHost> HostBaseline::judged() const {
  std::size_t comparisons = 0;
  for (const auto& [key, hosts] : factors_) comparisons += hosts.size();
  std::vector<LoneHost> all;
  for (const auto& [key, hosts] : factors_) {
    const BaselineRow& row = baseline_.rows.at(key);
    for (const auto& [host, one] : hosts)
      all.push_back(
          {.host = host,
           .component = one.component,
           .key = key,
           .rank = 0,
           .device = {},
           .judged = fleet::judge_against(one.factor, row.variance, row.runs, comparisons),
           .past = 0,
           .reason = {},
           .baseline_runs = row.runs});
  }
  return all;
}

}  // namespace scalemark::analysis
