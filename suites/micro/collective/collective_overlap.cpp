// SPDX-License-Identifier: Apache-2.0
// Overlaps a nonblocking operation with computation of equal length.
#include "suites/micro/collective/collective_overlap.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/base/clock.hpp"
#include "suites/micro/data/rank_values.hpp"

namespace scalemark::micro {
namespace {

/// Arithmetic in registers and L1 cache, without memory traffic that would slow the communication.
class Computing {
 public:
  void run(std::uint64_t rounds) {
    for (std::uint64_t round = 0; round < rounds; ++round) {
      for (double& x : values_) x = x * 0.999 + 0.5;
    }
    sink_ = values_[rounds % values_.size()];
  }
  /// Number of rounds that take about this long; measured now, fastest of five trials.
  std::uint64_t rounds_for(double nanoseconds) {
    constexpr std::uint64_t kTrial = 20'000;
    std::uint64_t fastest = ~std::uint64_t{0};
    for (int trial = 0; trial < 5; ++trial) {
      const std::uint64_t start = now_ns();
      run(kTrial);
      fastest = std::min(fastest, now_ns() - start);
    }
    const double each = static_cast<double>(std::max<std::uint64_t>(fastest, 1)) / kTrial;
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(nanoseconds / each));
  }

 private:
  std::array<double, 32> values_{};
  volatile double sink_ = 0;
};

}  // namespace

void measure_overlap(Case& c, collective::Operation& operation, double scale,
                     const std::function<void()>& before) {
  std::vector<std::uint64_t> pure;
  c.measure_timed(
      [&] {
        before();
        const std::uint64_t start = now_ns();
        operation.run();
        pure.push_back(now_ns() - start);
        return pure.back();
      },
      {.metric = "latency", .scale = scale, .warmup = 10});
  const double latency = median_ns(pure);

  Computing computing;
  const auto parts = static_cast<std::uint64_t>(c.integer("probes") + 1);
  const std::uint64_t rounds = computing.rounds_for(
      static_cast<double>(largest(c.ranks(), static_cast<std::int64_t>(latency))));
  const std::uint64_t rounds_a_part = std::max<std::uint64_t>(1, rounds / parts);
  std::vector<std::uint64_t> overall, compute;
  const std::size_t timed = c.measure_timed(
      [&] {
        before();
        const std::uint64_t start = now_ns();
        operation.start();
        const std::uint64_t started = now_ns();
        for (std::uint64_t part = 0; part < parts; ++part) {
          if (part > 0) operation.test();
          computing.run(rounds_a_part);
        }
        const std::uint64_t computed = now_ns();
        operation.wait();
        overall.push_back(now_ns() - start);
        compute.push_back(computed - started);
        return overall.back();
      },
      {.metric = "overall_time", .scale = scale, .warmup = 10, .secondary = true});

  // Keep only the timed iterations: the last ones.
  const std::size_t first = compute.size() - timed;
  std::vector<std::uint64_t> of_one;
  for (std::size_t i = first; i < compute.size(); ++i)
    of_one.push_back(
        static_cast<std::uint64_t>(std::llround(static_cast<double>(compute[i]) * scale)));
  c.record_durations("compute_time", of_one, RankReduce::max);
  std::vector<double> ratios;
  for (std::size_t i = first; i < compute.size(); ++i) {
    const double exposed = static_cast<double>(overall[i]) - static_cast<double>(compute[i]);
    ratios.push_back(std::max(0.0, 1 - exposed / latency));
  }
  c.record("overlap_ratio", "1", Better::higher, MetricKind::ratio, RankReduce::mean, ratios,
           "max(0, 1 - (overall_time - compute_time) / latency)");
}

std::function<void()> computing_before(Case& c) {
  const std::int64_t microseconds = c.integer("compute");
  if (microseconds == 0) return {};
  auto computing = std::make_shared<Computing>();
  const std::uint64_t mine = computing->rounds_for(static_cast<double>(microseconds) * 1e3);
  // Same number of rounds on all ranks: that of the fastest rank.
  const auto rounds =
      static_cast<std::uint64_t>(largest(c.ranks(), static_cast<std::int64_t>(mine)));
  return [computing, rounds] { computing->run(rounds); };
}

}  // namespace scalemark::micro
