// SPDX-License-Identifier: Apache-2.0
// Times accesses to a rank that waits and to one that computes, in turns.
#include "suites/micro/one_sided/busy_target.hpp"

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/base/clock.hpp"
#include "common/core/exchange.hpp"
#include "suites/micro/data/rank_values.hpp"
#include "suites/micro/one_sided/one_sided_case.hpp"

namespace scalemark::micro {
namespace {

constexpr double kBusyShare = 2;  ///< computation / access to a rank that waits

void compute_for(std::uint64_t ns) {
  const std::uint64_t start = now_ns();
  while (now_ns() - start < ns) {
  }
}

/// ns of so many accesses by rank 0. Rank 1 computes that long, then waits in the next barrier.
std::uint64_t run(const Case& c, const std::function<void()>& access, std::uint64_t count,
                  std::uint64_t busy_ns) {
  c.ranks().barrier();
  const std::uint64_t start = now_ns();
  if (c.rank() == kTarget) {
    compute_for(busy_ns);
  } else {
    for (std::uint64_t i = 0; i < count; ++i) access();
  }
  return now_ns() - start;
}

/// Collective. Computation for each access, in ns.
std::uint64_t choose_busy_time(Case& c, const std::function<void()>& access) {
  constexpr std::uint64_t kCount = 16;
  const Case::Communicating inside(c);
  std::vector<std::uint64_t> taken;
  for (int trial = 0; trial < 9; ++trial) taken.push_back(run(c, access, kCount, 0));
  c.ranks().barrier();
  // Rank 1 has nothing to do meanwhile, so that the longer time is that of rank 0.
  const double own = kBusyShare * median_ns(taken) / static_cast<double>(kCount);
  return static_cast<std::uint64_t>(largest(c.ranks(), std::llround(own)));
}

}  // namespace

void measure_busy_target(Case& c, const std::function<void()>& access) {
  const std::uint64_t busy_ns = choose_busy_time(c, access);
  c.fact("busy_time", 1e-9 * static_cast<double>(busy_ns));
  std::vector<double> waiting, slowdown;
  const auto sample = [&](std::uint64_t inner) {
    const std::uint64_t alone = run(c, access, inner, 0);
    const std::uint64_t loaded = run(c, access, inner, inner * busy_ns);
    c.ranks().barrier();
    waiting.push_back(1e-9 * static_cast<double>(alone) / static_cast<double>(inner));
    slowdown.push_back(static_cast<double>(loaded) / static_cast<double>(alone));
    return loaded;
  };
  const std::size_t timed = c.measure_timed(
      sample, {.metric = "latency", .rank_reduce = RankReduce::root, .inner = 0, .warmup = 10});
  const auto last = [&](const std::vector<double>& all) { return std::span(all).last(timed); };
  c.record("waiting_latency", "s", Better::lower, MetricKind::duration, RankReduce::root,
           last(waiting));
  c.record("latency_slowdown", "1", Better::lower, MetricKind::ratio, RankReduce::root,
           last(slowdown), "latency / waiting_latency");
}

}  // namespace scalemark::micro
