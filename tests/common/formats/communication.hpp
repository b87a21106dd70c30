// SPDX-License-Identifier: Apache-2.0
// Made-up results of the benchmarks of communication, as their functions store them.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/common/compare/synthetic.hpp"

namespace scalemark::test {

/// Samples of one rank each, in nanoseconds.
using PerRank = std::vector<std::vector<std::uint64_t>>;

inline Metric durations(const std::string& name, const PerRank& ranks,
                        RankReduce reduce = RankReduce::max) {
  Metric metric = duration(name, {});
  std::vector<std::uint64_t> all;
  for (const auto& rank : ranks) all.insert(all.end(), rank.begin(), rank.end());
  metric.samples.ranks = ranks.size();
  metric.samples.iterations = ranks.empty() ? 0 : ranks.front().size();
  metric.samples.values = std::move(all);
  metric.rank_reduce = reduce;
  return metric;
}

/// A case without metrics. Call keyed() when its parameters stand.
inline CaseResult communication(const std::string& name, std::int64_t ranks, Point more = {}) {
  CaseResult result;
  result.name = name;
  result.params = std::move(more);
  result.params.add("backend", std::string("mpi"));
  result.params.add("memory", std::string("host"));
  result.params["ranks"] = ranks;
  result.primary_metric = "latency";
  result.verification = {true, 100, 0, "every byte"};
  result.key = make_key(result.name, result.params);
  return result;
}

/// A collective: latency on all ranks, and the rates that Case::work() adds.
inline CaseResult collective(const std::string& name, std::int64_t bytes, const PerRank& times,
                             Point more = {}, double work = 0, double bus_factor = 0) {
  const auto ranks = static_cast<std::int64_t>(times.size());
  more["bytes"] = bytes;
  CaseResult result = communication(name, ranks, std::move(more));
  result.metrics = {durations("latency", times)};
  if (work > 0) result.metrics.push_back(rate("bandwidth", "latency", work));
  if (bus_factor > 0) result.metrics.push_back(rate("bus_bandwidth", "latency", work * bus_factor));
  if (work > 0) result.facts["total_bytes"] = static_cast<std::int64_t>(work);
  return result;
}

/// A point-to-point latency, timed on rank 0: a sample is twice as long.
inline CaseResult pingpong(std::int64_t bytes, std::uint64_t nanoseconds, std::int64_t ranks = 2) {
  CaseResult result = communication("micro/pingpong", ranks, {{"bytes", bytes}});
  result.metrics = {durations("latency", {{2 * nanoseconds}}, RankReduce::root)};
  result.metrics[0].samples.scale = 0.5e-9;
  return result;
}

/// Windows of messages, timed where they are sent: `times` of rank 0, or of all ranks.
inline CaseResult window(const std::string& name, std::int64_t bytes, std::int64_t messages,
                         const PerRank& times, std::int64_t ranks = 2) {
  CaseResult result = communication(name, ranks, {{"bytes", bytes}, {"window", std::int64_t{64}}});
  result.primary_metric = "bandwidth";
  const auto count = static_cast<double>(messages);
  result.metrics = {
      durations("time", times, times.size() == 1 ? RankReduce::root : RankReduce::max),
      rate("bandwidth", "time", count * static_cast<double>(bytes))};
  if (name == "micro/multi_pair") {
    result.metrics.push_back(rate("message_rate", "time", count));
    result.metrics.back().unit = "1/s";
  }
  return result;
}

/// A non-blocking collective beside computation, all in nanoseconds and alike on `ranks` ranks.
inline CaseResult overlapped(const std::string& name, std::int64_t ranks, std::uint64_t overall,
                             std::uint64_t compute, std::uint64_t pure, Point more = {}) {
  const auto everywhere = [&](std::uint64_t time) {
    return PerRank(static_cast<std::size_t>(ranks), {time});
  };
  more["call"] = std::string("nonblocking");
  CaseResult result = communication(name, ranks, std::move(more));
  result.metrics = {durations("latency", everywhere(pure)),
                    durations("overall_time", everywhere(overall)),
                    durations("compute_time", everywhere(compute))};
  Metric ratio = rate("overlap_ratio", "", 0);
  ratio.unit = "1";
  ratio.kind = MetricKind::ratio;
  ratio.samples.ranks = 1;
  ratio.samples.iterations = 1;
  ratio.samples.values = std::vector<double>{0.5};
  result.metrics.push_back(ratio);
  return result;
}

}  // namespace scalemark::test
