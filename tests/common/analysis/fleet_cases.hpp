// SPDX-License-Identifier: Apache-2.0
// Hosts of a fleet, and what they measured.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/analysis/fleet_table.hpp"
#include "common/fleet/pair_rounds.hpp"

namespace scalemark::analysis {

constexpr std::size_t kHosts = 8;

inline std::string host(std::size_t number) { return "node" + std::to_string(number); }

/// A run with two ranks on one host.
inline Run run_on(const std::string& name) {
  Run run;
  run.environment.common["cpu_model"] = "a CPU";
  for (int rank = 0; rank < 2; ++rank)
    run.ranks.push_back({.rank = rank,
                         .node = name,
                         .local_rank = rank,
                         .cpuset = {},
                         .gpu_uuid = {},
                         .gpu_pci = "0000:0" + std::to_string(rank) + ":00.0",
                         .gpu_model = "a GPU",
                         .nic = {},
                         .note = {}});
  return run;
}

/// Products whose ranks take so long, in seconds; 5 samples each, after a slow warm-up.
inline CaseResult products(const std::string& device, double first, double second) {
  CaseResult result;
  result.name = "micro/gemm";
  result.params["device"] = device;
  result.key = make_key(result.name, result.params);
  result.primary_metric = "achieved_flops";
  Metric rate;
  rate.name = "achieved_flops";
  rate.kind = MetricKind::rate;
  rate.source = "time";
  Metric time;
  time.name = "time";
  time.samples.ranks = 2;
  time.samples.iterations = 6;
  time.samples.warmup = {1, 0, 0, 0, 0, 0};
  std::vector<double> values;
  for (const double seconds : {first, second}) {
    values.push_back(100 * seconds);
    values.insert(values.end(), 5, seconds);
  }
  time.samples.values = values;
  result.metrics = {rate, time};
  return result;
}

/// All pairs of a screening, those of `slow` 1.5 times as long.
inline CaseResult screening_of(std::size_t slow) {
  CaseResult result;
  result.key = "micro/bandwidth pairs=screening";
  result.facts["screening_rounds"] = std::int64_t{3};
  std::vector<std::uint64_t> rank, peer, number;
  std::vector<std::string> rank_place, peer_place;
  std::vector<double> seconds;
  for (std::size_t round = 0; round < fleet::tournament_rounds(kHosts); ++round) {
    for (const fleet::NodePair& pair : fleet::tournament_round(kHosts, round)) {
      rank.push_back(pair.a);
      peer.push_back(pair.b);
      number.push_back(round);
      rank_place.push_back(host(pair.a));
      peer_place.push_back(host(pair.b));
      const double wobble = 1 + 0.001 * static_cast<double>(seconds.size() % 5);
      seconds.push_back((pair.a == slow || pair.b == slow ? 1.5 : 1.0) * wobble);
    }
  }
  result.tables["pairs"] = {.columns = {{"rank", "", rank},
                                        {"peer", "", peer},
                                        {"rank_place", "", rank_place},
                                        {"peer_place", "", peer_place},
                                        {"latency", "s", seconds},
                                        {"round", "", number}}};
  return result;
}

constexpr std::size_t kNone = kHosts;

/// Eight hosts; `slow_alone` takes 1.8 times as long by itself, `slow_network` in pairs.
inline FleetCases measured(std::size_t slow_alone, std::size_t slow_network,
                           std::vector<std::string> expected = {}) {
  FleetCases cases(
      {.switches = {}, .hosts = std::move(expected), .failing = {}, .only_together = {}});
  for (std::size_t i = 0; i < kHosts; ++i) {
    const double factor = i == slow_alone ? 1.8 : 1 + 0.001 * static_cast<double>(i);
    cases.add(run_on(host(i)), products("cpu", 0.01 * factor, 0.01));
  }
  cases.add({}, screening_of(slow_network));
  return cases;
}

}  // namespace scalemark::analysis
