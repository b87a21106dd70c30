// SPDX-License-Identifier: Apache-2.0
// Groups the times of hosts by case, rank and models.
#include "common/analysis/lone_hosts.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "common/analysis/host_facts.hpp"
#include "common/analysis/rank_differences.hpp"
#include "common/result/case_timing.hpp"
#include "common/result/places.hpp"
#include "common/result/summarise.hpp"
#include "common/stats/quantiles.hpp"
#include "common/stats/summary.hpp"

namespace scalemark::analysis {
namespace {

constexpr double kMinChange = 0.05;
/// A rank as fast as others in a tenth of its samples is not always slow. At twice the time it is
/// bad all the same.
constexpr int kFastPermille = 100;
constexpr double kAsFast = 1.05, kMostlySlow = 2;

std::string models_of(const Run& run, const RankInfo& rank) {
  return fact_of(run, rank.node, "cpu_model") + "\n" + rank.gpu_model;
}

}  // namespace

std::string component_of(const CaseResult& result) {
  const bool on_gpu = result.params.text("device", "cpu") == "cuda";
  if (result.name == "micro/stream" || result.name == "micro/memory_latency")
    return on_gpu ? "GPU memory" : kHostMemory;
  if (result.name == "micro/memcpy") {
    const std::string direction = result.params.text("direction", "");
    if (direction == "h2h") return kHostMemory;
    if (direction == "d2d") return "GPU memory";
    return direction == "peer" ? kGpuCopies : "copies between host and GPU";
  }
  if (result.params.contains("backend")) return kMessages;
  return on_gpu ? "GPU" : kCpu;
}

std::optional<std::string> problem_of(const CaseResult& result) {
  if (result.verification.wrong > 0)
    return fmt::format("{} of {} values are wrong", result.verification.wrong,
                       result.verification.checked);
  if (result.status == Status::ok) return std::nullopt;
  return fmt::format("{}: {}", to_string(result.status), result.reason);
}

void LoneHosts::add(const Run& run, const CaseResult& result) {
  const std::vector<RankInfo> ranks = ranks_of_case(result, run.ranks);
  if (!problem_of(result)) {
    for (HostTime& one : times_of(run, result)) {
      Measured& best = times_[one.group].try_emplace(one.host, one.measured).first->second;
      const double fast = std::min(best.fast, one.measured.fast);
      if (one.measured.seconds < best.seconds) best = std::move(one.measured);
      best.fast = fast;
    }
    if (const auto fraction = peak_fraction_of(result); fraction && are_on_one_host(ranks)) {
      auto& [component, by_host] = fractions_[result.key];
      component = component_of(result);
      double& best = by_host[ranks.front().node];
      best = std::max(best, *fraction);
    }
    return;
  }
  // A run over several hosts does not say which of them failed.
  if (!are_on_one_host(ranks)) return;
  Missing& known = missing_[result.key][ranks.front().node];
  if (known.is_wrong) return;
  known = {.component = component_of(result),
           .reason = problem_of(result).value_or(""),
           .is_wrong = result.verification.wrong > 0};
}

void LoneHosts::add_past(const Run& run, const CaseResult& result) {
  if (problem_of(result)) return;
  for (const HostTime& one : times_of(run, result))
    past_[one.group][one.host].push_back(one.measured.seconds);
}

std::vector<LoneHosts::HostTime> LoneHosts::times_of(const Run& run, const CaseResult& result) {
  const std::vector<RankInfo> ranks = ranks_of_case(result, run.ranks);
  const Metric* const metric = duration_of(result, result.primary_metric);
  if ((!are_on_one_host(ranks) && !is_rank_local(result)) || metric == nullptr ||
      metric->samples.ranks > ranks.size())
    return {};
  std::vector<HostTime> times;
  std::vector<std::vector<double>> values = counted_values(metric->samples, metric->samples);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].empty()) continue;
    std::ranges::sort(values[i]);
    const RankInfo& rank = ranks[i];
    // Files of an earlier version do not say which rank of its host it is.
    const std::size_t number = rank.local_rank < 0 ? i : static_cast<std::size_t>(rank.local_rank);
    times.push_back({.group = {result.key, number, models_of(run, rank)},
                     .host = rank.node,
                     .measured = {.seconds = stats::median(values[i]),
                                  .fast = stats::nearest_rank(values[i], kFastPermille),
                                  .component = component_of(result),
                                  .device = gpu_of(rank)}});
  }
  return times;
}

std::vector<LoneHosts::Quotient> LoneHosts::quotients(const Group& group) const {
  std::vector<Quotient> found;
  const auto now = times_.find(group);
  const auto earlier = past_.find(group);
  if (now == times_.end() || earlier == past_.end()) return found;
  for (const auto& [host, one] : now->second) {
    const auto own = earlier->second.find(host);
    if (own != earlier->second.end())
      found.push_back({host, &one, one.seconds / stats::median(own->second), own->second.size()});
  }
  return found;
}

void LoneHosts::judge_past(std::vector<LoneHost>& all) const {
  for (const auto& [group, earlier] : past_) {
    const std::vector<Quotient> found = quotients(group);
    if (found.size() < fleet::kMinLoneNodes) continue;
    std::vector<double> factors;
    for (const Quotient& one : found) factors.push_back(one.factor);
    const std::vector<fleet::LoneNode> judged = fleet::judge_alone(factors, past_.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      all.push_back({.host = found[i].host,
                     .component = found[i].measured->component,
                     .key = std::get<0>(group),
                     .rank = std::get<1>(group),
                     .device = found[i].measured->device,
                     .judged = judged[i],
                     .past = found[i].past,
                     .reason = {}});
  }
}

std::vector<FleetChange> LoneHosts::changes() const {
  struct Changed {
    std::string component;
    std::vector<double> factors;
    std::set<std::string> hosts;
  };
  std::map<std::string, Changed> by_key;
  for (const auto& [group, earlier] : past_) {
    for (const Quotient& one : quotients(group)) {
      Changed& changed = by_key[std::get<0>(group)];
      changed.component = one.measured->component;
      changed.factors.push_back(one.factor);
      changed.hosts.insert(one.host);
    }
  }
  std::vector<FleetChange> changes;
  for (const auto& [key, one] : by_key) {
    const double factor = stats::median(one.factors);
    if (one.hosts.size() >= fleet::kMinLoneNodes &&
        std::abs(std::log(factor)) > std::log1p(kMinChange))
      changes.push_back({key, one.component, factor, one.hosts.size()});
  }
  return changes;
}

std::vector<FleetPeak> LoneHosts::peaks() const {
  std::vector<FleetPeak> peaks;
  for (const auto& [key, one] : fractions_) {
    const auto& [component, by_host] = one;
    std::vector<double> all;
    for (const auto& [host, fraction] : by_host) all.push_back(fraction);
    peaks.push_back(
        {key, component, stats::median(all), *std::ranges::min_element(all), all.size()});
  }
  return peaks;
}

std::vector<LoneHost> LoneHosts::judged() const {
  std::vector<LoneHost> all;
  std::map<std::string, std::set<std::string>> measured;  // hosts by key
  for (const auto& [group, hosts] : times_) {
    const auto& [key, rank, models] = group;
    std::vector<double> seconds, fast;
    for (const auto& [host, one] : hosts) {
      seconds.push_back(one.seconds);
      fast.push_back(one.fast);
      measured[key].insert(host);
    }
    std::vector<fleet::LoneNode> judged = fleet::judge_alone(seconds, times_.size());
    const double as_fast = kAsFast * stats::median(fast);
    std::size_t i = 0;
    for (const auto& [host, one] : hosts) {
      fleet::LoneNode& node = judged[i++];
      const bool at_times = node.verdict == fleet::NodeVerdict::bad && node.factor < kMostlySlow &&
                            one.fast <= as_fast;
      if (at_times) node.verdict = fleet::NodeVerdict::suspect;
      all.push_back({host, one.component, key, rank, one.device, node, 0, {}, at_times});
    }
  }
  judge_past(all);
  for (const auto& [key, hosts] : missing_) {
    const auto others = measured.find(key);
    const std::size_t with = others == measured.end() ? 0 : others->second.size();
    for (const auto& [host, one] : hosts) {
      if (one.is_wrong || with > hosts.size())
        all.push_back(
            {host, one.component, key, 0, {}, {fleet::NodeVerdict::bad, 1}, 0, one.reason});
    }
  }
  return all;
}

}  // namespace scalemark::analysis
