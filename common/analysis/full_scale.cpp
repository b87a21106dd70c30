// SPDX-License-Identifier: Apache-2.0
// Predicts a collective of all nodes from those of parts.
#include "common/analysis/full_scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

#include "common/analysis/message_costs.hpp"
#include "common/base/key.hpp"
#include "common/predict/collective_form.hpp"
#include "common/predict/schedule.hpp"
#include "common/result/places.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::analysis {
namespace {

constexpr std::string_view kSuite = "micro/";
constexpr double kLevel = 0.9;

std::vector<std::string> hosts_of(const Run& run, const CaseResult& result, std::int64_t ranks) {
  std::set<std::string> hosts;
  for (const RankInfo& one : ranks_of_case(result, run.ranks))
    if (one.rank < ranks) hosts.insert(one.node);
  return {hosts.begin(), hosts.end()};
}

}  // namespace

bool ScaleRows::add(const Run& run, const CaseResult& result) {
  const std::string_view name = result.name;
  const auto* ranks = result.params.find_as<std::int64_t>("ranks");
  if (!name.starts_with(kSuite) || predict::forms_of(name.substr(kSuite.size())).empty() ||
      ranks == nullptr || *ranks < 2 || *ranks > predict::kMaxRanks)
    return false;
  Part part{.seconds = 0, .hosts = hosts_of(run, result, *ranks)};
  const std::optional<double> seconds = operation_seconds(result);
  if (part.hosts.size() < 2 || !seconds) return false;
  part.seconds = *seconds;
  const auto* bytes = result.params.find_as<std::int64_t>("bytes");
  Collective& into = by_key_[key_without(result.key, {"ranks"})];
  into.name = name.substr(kSuite.size());
  into.bytes = bytes == nullptr || *bytes < 0 ? 0 : static_cast<double>(*bytes);
  into.by_ranks[static_cast<int>(*ranks)].push_back(std::move(part));
  return true;
}

FullScale ScaleRows::scale_of(const std::string& key, const Collective& one) {
  const auto& [ranks, all] = *one.by_ranks.rbegin();
  FullScale scale{.key = key,
                  .ranks = ranks,
                  .hosts = all.front().hosts.size(),
                  .seconds = std::ranges::min(all, {}, &Part::seconds).seconds,
                  .slow_parts = {}};
  std::vector<predict::CollectiveTime> times;
  for (auto size = one.by_ranks.begin(); size != std::prev(one.by_ranks.end()); ++size) {
    std::vector<double> seconds;
    for (const Part& part : size->second) seconds.push_back(part.seconds);
    times.push_back({size->first, one.bytes, stats::median(seconds)});
    const std::vector<fleet::LoneNode> judged =
        fleet::judge_alone(seconds, one.by_ranks.size() - 1);
    for (std::size_t i = 0; i < judged.size(); ++i) {
      const fleet::NodeVerdict verdict = judged[i].verdict;
      if (verdict == fleet::NodeVerdict::bad || verdict == fleet::NodeVerdict::suspect)
        scale.slow_parts.push_back({size->second[i].hosts, judged[i]});
    }
  }
  if (times.size() < 2) return scale;
  const predict::CollectivePrediction found =
      predict::CollectivePredictor(one.name, times).predict(ranks, one.bytes, kLevel);
  scale.predicted = found.seconds;
  scale.high = found.high * std::exp(found.half_width.value_or(0));
  scale.is_tested = found.fits();
  return scale;
}

std::vector<FullScale> ScaleRows::scales() const {
  std::vector<FullScale> all;
  for (const auto& [key, one] : by_key_) {
    const std::vector<Part>& whole = one.by_ranks.rbegin()->second;
    const bool is_one_group = std::ranges::all_of(
        whole, [&](const Part& run) { return run.hosts == whole.front().hosts; });
    if (one.by_ranks.size() > 1 && is_one_group) all.push_back(scale_of(key, one));
  }
  return all;
}

}  // namespace scalemark::analysis
