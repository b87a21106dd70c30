// SPDX-License-Identifier: Apache-2.0
// From an operation to samples: first call, verification, warm-up, sampling, gathering.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "common/base/clock.hpp"
#include "common/core/case.hpp"
#include "common/core/session.hpp"

namespace scalemark {
namespace {

constexpr std::uint64_t kMaxInner = 1'000'000;

/// Repetitions of the clock reading that one timer_cost sample is the total of.
constexpr std::uint64_t kClockReadings = 1000;

std::uint64_t time_clock_readings() {
  const std::uint64_t start = now_ns();
  std::uint64_t last = start;
  for (std::uint64_t i = 0; i < kClockReadings; ++i) last = now_ns();
  return last - start;
}

}  // namespace

void Case::measure(const std::function<void()>& operation, const MeasureOptions& options) {
  measure_samples(
      [&operation](std::uint64_t inner) {
        const std::uint64_t start = now_ns();
        for (std::uint64_t i = 0; i < inner; ++i) operation();
        return now_ns() - start;
      },
      options);
}

void Case::measure_timed(const std::function<std::uint64_t()>& sample,
                         const MeasureOptions& options) {
  measure_samples([&sample](std::uint64_t) { return sample(); }, options);
}

void Case::start_together() {
  if (communicator_)
    communicator_->barrier();
  else
    ranks_.barrier();
}

std::uint64_t Case::take(const Sample& sample, std::uint64_t inner, bool barrier) {
  // Rank-local work never waits for the others: one of them may have failed.
  if (barrier && !rank_local_) start_together();
  const std::uint64_t nanoseconds = sample(inner);
  session_.watchdog().tick();
  return nanoseconds;
}

std::uint64_t Case::choose_inner(const Sample& sample, const MeasureOptions& options) {
  if (options.inner != 0) return options.inner;
  std::uint64_t inner = 1;
  for (;;) {
    const std::uint64_t taken = take(sample, inner, options.barrier);
    // The slowest rank decides, and all get the same count.
    const double seconds =
        static_cast<double>(exchange(ranks_, {static_cast<std::int64_t>(taken), 0, 0}).a) * 1e-9;
    if (seconds >= options.inner_time || inner >= kMaxInner) return inner;
    const double factor =
        std::clamp(1.2 * options.inner_time / std::max(seconds, 1e-9), 2.0, 100.0);
    inner = std::min(kMaxInner,
                     static_cast<std::uint64_t>(std::ceil(static_cast<double>(inner) * factor)));
  }
}

Stop Case::sample_until_stop(const Sample& sample, const MeasureOptions& options,
                             std::uint64_t inner, std::vector<std::uint64_t>& samples,
                             std::vector<std::uint64_t>& starts) {
  std::vector<double> values;  // as floating point, for the interval
  double spent = 0;
  // Ranks that read telemetry keep the others waiting here, not in a sample.
  session_.telemetry().begin_samples();
  exchange(ranks_);
  for (;;) {
    const std::size_t batch = next_batch(policy_, samples.size(), spent);
    samples.reserve(samples.size() + batch);
    starts.reserve(samples.size() + batch);
    const std::uint64_t start = now_ns();
    for (std::size_t i = 0; i < batch; ++i) {
      starts.push_back(now_ns() - session_.telemetry().epoch());
      samples.push_back(take(sample, inner, options.barrier));
    }
    const std::uint64_t batch_ns = now_ns() - start;
    for (std::size_t i = values.size(); i < samples.size(); ++i)
      values.push_back(static_cast<double>(samples[i]));
    session_.telemetry().between_samples(samples.size());
    const bool reached = !policy_.iterations && interval_reached(policy_, values);
    const Votes votes = exchange(ranks_, {static_cast<std::int64_t>(batch_ns), reached ? 0 : 1, 0});
    spent += static_cast<double>(votes.a) * 1e-9;
    const Stop stop = decide(policy_, samples.size(), spent, votes.b == 0);
    if (stop == Stop::no) continue;
    session_.telemetry().end_samples(options.metric, samples.size());
    return stop;
  }
}

void Case::run_verification() {
  if (!check_ || !policy_.verify) return;
  phase("verify");
  verified(rule_, check_());
}

void Case::measure_samples(const Sample& sample, const MeasureOptions& options) {
  checkpoint();
  std::uint64_t first = 0, inner = 1;
  std::vector<std::uint64_t> samples, starts;
  {
    phase("first call");
    const Communicating inside(*this);
    first = take(sample, 1, true);
  }
  run_verification();
  const int warmup = policy_.warmup.value_or(options.warmup);
  {
    phase("warm-up");
    const Communicating inside(*this);
    inner = choose_inner(sample, options);
    for (int i = 0; i < warmup; ++i) take(sample, inner, options.barrier);
    phase("measure");
    result_.stop_reason = to_string(sample_until_stop(sample, options, inner, samples, starts));
  }
  run_verification();  // the last timed operation's data
  phase("gather");
  record_durations(options.metric, samples, options.rank_reduce);
  result_.metrics.back().samples.scale = 1e-9 * options.scale;
  result_.metrics.back().samples.inner = inner;
  result_.metrics.back().samples.t0 = std::move(starts);
  if (work_.bytes > 0 || work_.flops > 0) add_work_metrics(options.metric);
  record_durations("first_call", std::vector<std::uint64_t>{first}, options.rank_reduce);
  result_.metrics.back().samples.scale = 1e-9 * options.scale;
  record_durations("timer_cost", std::vector<std::uint64_t>{time_clock_readings()},
                   RankReduce::mean);
  result_.metrics.back().samples.inner = kClockReadings;
  primary(options.metric);
}

void Case::add_work_metrics(const std::string& duration) {
  if (work_.bytes > 0) {
    record_rate("bandwidth", "By/s", duration, work_.bytes, fmt::format("bytes / {}", duration));
  }
  if (work_.bytes > 0 && work_.bus_factor > 0) {
    record_rate("bus_bandwidth", "By/s", duration, work_.bytes * work_.bus_factor, work_.formula);
  }
  if (work_.flops > 0) record_flops(duration, work_.flops, work_.precision, work_.formula);
}

}  // namespace scalemark
