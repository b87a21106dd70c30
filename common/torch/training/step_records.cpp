// SPDX-License-Identifier: Apache-2.0
// Records of training steps: times, warm-up marks, energy and memory.
#include "common/torch/training/step_records.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "common/torch/setup.hpp"

namespace scalemark::torch_support {
namespace {

constexpr std::size_t kLastSteps = 10;
constexpr int kWarmup = 3;

void record_peak(Case& c, double bytes, const std::string& formula) {
  c.record("peak_device_memory", "By", Better::lower, MetricKind::count, RankReduce::max,
           std::vector{bytes}, formula);
}

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

void StepTimes::add(std::uint64_t requested, std::uint64_t arrived, std::uint64_t done) {
  begun.push_back(requested);
  time.push_back(done - requested);
  wait.push_back(arrived - requested);
}

void record_step_time(Case& c, const StepTimes& steps, const std::vector<std::uint8_t>& warmup) {
  c.record_durations("step_time", steps.time, RankReduce::max, warmup);
  c.recorder().began("step_time", steps.begun);
}

void record_timeline(Case& c, std::vector<Interval> others, const StepTimes& steps) {
  const std::size_t earlier = steps.time.size() - steps.begun.size();
  for (std::size_t i = 0; i < steps.begun.size(); ++i) {
    const std::uint64_t from = steps.begun[i];
    others.push_back({"step", earlier + i + 1, from, from + steps.time[earlier + i]});
  }
  c.recorder().timeline(others);
}

void record_gradient_buckets(Case& c, const std::vector<BucketReady>& buckets) {
  if (buckets.empty()) return;
  std::vector<double> ready, sizes;
  for (const BucketReady& one : buckets) {
    ready.push_back(one.seconds);
    sizes.push_back(static_cast<double>(one.bytes));
  }
  c.record("gradient_ready_time", "s", Better::none, MetricKind::ratio, RankReduce::mean, ready,
           "from the start of the backward pass to a bucket's last gradient, median of the steps");
  c.record("gradient_bucket_size", "By", Better::none, MetricKind::count, RankReduce::root, sizes,
           "gradients that are reduced in one message");
}

void record_shard_messages(Case& c, const std::vector<ShardMessage>& messages) {
  struct Kind {
    ShardCollective kind;
    std::string prefix, name;
  };
  for (const Kind& one : {Kind{ShardCollective::gather, "gather_", "all-gather"},
                          Kind{ShardCollective::reduction, "reduction_", "reduce-scatter"}}) {
    std::vector<double> started, needed, sizes;
    for (const ShardMessage& message : messages) {
      if (message.kind != one.kind) continue;
      started.push_back(message.started);
      needed.push_back(message.needed);
      sizes.push_back(static_cast<double>(message.bytes));
    }
    if (sizes.empty()) continue;
    const std::string computing = " of computing after a step's first collective started, median";
    c.record(one.prefix + "start_time", "s", Better::none, MetricKind::ratio, RankReduce::mean,
             started, "when the " + one.name + " started:" + computing);
    c.record(one.prefix + "need_time", "s", Better::none, MetricKind::ratio, RankReduce::mean,
             needed, "when the rank waited for the " + one.name + ":" + computing);
    c.record(one.prefix + "size", "By", Better::none, MetricKind::count, RankReduce::root, sizes,
             "of the " + one.name + " over all ranks");
  }
}

double record_peak_memory(Case& c, c10::Device device) {
  const auto peak = static_cast<double>(peak_memory(device));
  record_peak(c, peak, "largest number of bytes of tensors");
  return peak;
}

void FirstPeak::note() {
  if (bytes_ == 0) bytes_ = peak_memory(device_);
}

void FirstPeak::record(Case& c) {
  note();
  record_peak(c, static_cast<double>(bytes_),
              "largest number of bytes of tensors up to the end of the first operation");
}

void EnergyMeter::start() { before_ = c_.hardware().energy(); }

void EnergyMeter::stop() {
  if (const std::optional<double> after = c_.hardware().energy(); before_ && after)
    joules_ = joules_.value_or(0) + *after - *before_;
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
