// SPDX-License-Identifier: Apache-2.0
// Runs with samples of every iteration and rank, for tests of all that a comparison takes from
// samples: reduced by compare::digest() like runs from files.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/compare/digest.hpp"
#include "common/result/model.hpp"
#include "tests/support/generated_runs.hpp"

namespace scalemark::test {

/// How iterations of a row are spread, as logarithms.
enum class Shape { normal, heavy, bimodal };

/// What is planted in a row of a side.
struct Planted {
  double level = 0;         ///< ln of all its times
  double slow_share = 0;    ///< further iterations that take half as long again
  std::size_t warmup = 0;   ///< first iterations
  double warmup_level = 0;  ///< ln of their times
  double drift = 0;         ///< ln of the last iteration's time less the first one's
  int slow_rank = -1;
  double rank_level = 0;  ///< ln of its times
};

struct SampledScenario {
  int runs_a = 5, runs_b = 5;
  std::size_t rows = 60, iterations = 200, ranks = 1;
  Shape shape = Shape::normal;
  double correlation = 0;  ///< AR(1) of an iteration's time, equal for all ranks
  double run_sd = 0.005;   ///< a run's own effect on a row
  bool lateness = false;   ///< ranks are late instead of slow
  /// By row, and whether the side is B.
  std::function<Planted(std::size_t, bool)> planted = [](std::size_t, bool) { return Planted(); };
};

/// ln of an iteration's time about its level: 2 %, 10 % with a heavy right tail, or 30 % of the
/// iterations in a mode 10 % slower.
inline double spread_of(Shape shape, double normal, Random& random) {
  if (shape == Shape::normal) return 0.02 * normal;
  if (shape == Shape::heavy) return 0.1 * std::exp(0.5 * normal);
  return 0.02 * normal + (random.chance(0.3) ? std::log(1.1) : 0);
}

inline Metric time_metric(const char* name, std::size_t ranks, std::size_t iterations) {
  Metric metric;
  metric.name = name;
  metric.unit = "s";
  metric.samples.ranks = ranks;
  metric.samples.iterations = iterations;
  metric.samples.values = std::vector<std::uint64_t>(ranks * iterations);
  metric.samples.scale = 1e-9;
  return metric;
}

/// One case of one run. Ranks differ by 0.5 % in each iteration.
inline CaseResult sampled_case(const SampledScenario& scenario, std::size_t row, bool of_b,
                               Random& random) {
  const Planted planted = scenario.planted(row, of_b);
  const std::size_t n = scenario.iterations;
  CaseResult result;
  result.name = "micro/stream";
  result.key = "micro/stream bytes=" + std::to_string(row);
  result.primary_metric = "time";
  result.facts["rank_local"] = Value(!scenario.lateness);
  result.metrics = {time_metric("time", scenario.ranks, n)};
  if (scenario.lateness) result.metrics.push_back(time_metric("lateness", scenario.ranks, n));
  const auto fill = [&](Metric& metric, std::size_t rank, std::size_t i, double time) {
    std::get<std::vector<std::uint64_t>>(metric.samples.values)[rank * n + i] =
        static_cast<std::uint64_t>(std::llround(time));
  };
  const double level = std::log(2e5 * (1 + static_cast<double>(row))) + planted.level +
                       scenario.run_sd * random.normal();
  const double fresh = std::sqrt(1 - scenario.correlation * scenario.correlation);
  double state = random.normal();
  for (std::size_t i = 0; i < n; ++i) {
    state = scenario.correlation * state + fresh * random.normal();
    double x = level + spread_of(scenario.shape, state, random);
    x += planted.drift * static_cast<double>(i) / static_cast<double>(n);
    if (i < planted.warmup) x += planted.warmup_level;
    if (planted.slow_share > 0 && random.chance(planted.slow_share)) x += std::log(1.5);
    for (std::size_t rank = 0; rank < scenario.ranks; ++rank) {
      const bool slow = static_cast<int>(rank) == planted.slow_rank;
      const double noise = 0.005 * quick_normal(random.word());
      const double beyond = slow ? planted.rank_level : 0;
      // Whoever enters late waits for nobody: its collective is the shortest.
      const double own = scenario.lateness ? -beyond : beyond;
      fill(result.metrics[0], rank, i, std::exp(x + own + noise));
      if (scenario.lateness)
        fill(result.metrics[1], rank, i, std::exp(x) * (0.05 + beyond + std::abs(noise)));
    }
  }
  return result;
}

inline std::vector<compare::RunDigest> sampled_side(const SampledScenario& scenario, bool of_b,
                                                    std::uint64_t seed) {
  std::vector<compare::RunDigest> runs;
  const int count = of_b ? scenario.runs_b : scenario.runs_a;
  for (int r = 0; r < count; ++r) {
    Random random(seed * 1000 + (of_b ? 500 : 0) + static_cast<std::uint64_t>(r));
    scalemark::Run run;
    run.uuid = std::string(of_b ? "b" : "a") + std::to_string(r);
    run.complete = true;
    for (std::size_t rank = 0; rank < scenario.ranks; ++rank) {
      const auto number = static_cast<int>(rank);
      run.ranks.push_back(RankInfo{number, "node1", number, std::to_string(number), 0, "", "", ""});
    }
    compare::Digester digester(run.uuid);
    digester.header(run);
    for (std::size_t row = 0; row < scenario.rows; ++row) {
      CaseResult one = sampled_case(scenario, row, of_b, random);
      one.index = row;
      digester.add(one);
    }
    runs.push_back(digester.finish());
  }
  return runs;
}

}  // namespace scalemark::test
