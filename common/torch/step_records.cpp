// SPDX-License-Identifier: Apache-2.0
// Sums and warm-up marks of training steps.
#include "common/torch/step_records.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace scalemark::torch_support {
namespace {

constexpr std::size_t kLastSteps = 10;
constexpr int kWarmup = 3;

}  // namespace

double mean_of_last(const std::vector<double>& values) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(kLastSteps, values.size()));
  return std::accumulate(values.end() - count, values.end(), 0.0) / static_cast<double>(count);
}

std::uint64_t sum(const std::vector<std::uint64_t>& nanoseconds) {
  return std::accumulate(nanoseconds.begin(), nanoseconds.end(), std::uint64_t{0});
}

std::vector<std::uint8_t> warmup_steps(const SamplingPolicy& policy, std::size_t steps) {
  std::vector<std::uint8_t> marks(steps, 0);
  const auto marked = static_cast<std::size_t>(std::max(0, policy.warmup.value_or(kWarmup)));
  std::fill_n(marks.begin(), std::min(marked, steps - 1), std::uint8_t{1});
  return marks;
}

void record_energy(Case& c, const std::optional<double>& joules, const std::string& name,
                   double count, const std::string& over) {
  if (!c.all_ranks(joules.has_value())) return;
  c.record("energy", "J", Better::lower, MetricKind::ratio, RankReduce::sum, std::vector{*joules},
           "of the CPU packages or GPUs in use, over " + over);
  c.record("energy_per_" + name, "J", Better::lower, MetricKind::ratio, RankReduce::sum,
           std::vector{*joules / count}, fmt::format("energy / {}s over all ranks", name));
}

double sum_over_ranks(const mpi::Comm& ranks, double mine) {
  double sum = 0;
  for (const std::string& text : ranks.all_gather(fmt::format("{}", mine))) sum += std::stod(text);
  return sum;
}

}  // namespace scalemark::torch_support
