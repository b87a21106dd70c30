// SPDX-License-Identifier: Apache-2.0
// From an operation to samples: first call, verification, warm-up, sampling, gathering.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

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

/// First calls and checked ones begin together, whatever the timed ones do.
MeasureOptions from_a_barrier(MeasureOptions options) {
  options.barrier = true;
  return options;
}

}  // namespace

void Case::measure(const std::function<void()>& operation, const MeasureOptions& options) {
  measure(
      operation, [] {}, options);
}

void Case::measure(const std::function<void()>& start, const std::function<void()>& finish,
                   const MeasureOptions& options) {
  measure_samples(
      [&](std::uint64_t inner) {
        const std::uint64_t began = now_ns();
        for (std::uint64_t i = 0; i < inner; ++i) start();
        finish();
        return Timed{.began = began, .nanoseconds = now_ns() - began};
      },
      options);
}

void Case::measure_timed(const std::function<std::uint64_t()>& sample,
                         const MeasureOptions& options) {
  measure_timed([&sample](std::uint64_t) { return sample(); }, options);
}

void Case::measure_timed(const std::function<std::uint64_t(std::uint64_t inner)>& sample,
                         const MeasureOptions& options) {
  measure_samples(
      [this, &sample](std::uint64_t inner) {
        const std::uint64_t began = session_.clock().now();
        return Timed{.began = began, .nanoseconds = sample(inner)};
      },
      options);
}

bool Case::start_together() {
  if (session_.options().sync == Sync::clock) return session_.synced_start(group_).wait().in_time;
  if (communicator_)
    communicator_->barrier();
  else
    ranks_.barrier();
  return true;
}

Case::Timed Case::take(const Sample& sample, std::uint64_t inner, const MeasureOptions& options) {
  // Rank-local work never waits for the others: one of them may have failed.
  const bool in_time = !options.barrier || rank_local_ || start_together();
  std::uint64_t before = 0;
  if (options.before) {
    const std::uint64_t start = now_ns();
    options.before();
    before = now_ns() - start;
  }
  Timed timed = sample(inner);
  timed.before = before;
  timed.is_void = !in_time;
  session_.watchdog().tick();
  return timed;
}

std::uint64_t Case::choose_inner(const Sample& sample, const MeasureOptions& options) {
  if (options.inner != 0) return options.inner;
  if (const auto fixed = fixed_inner_.find(options.metric); fixed != fixed_inner_.end())
    return fixed->second;
  std::uint64_t inner = 1;
  for (;;) {
    const std::uint64_t taken = take(sample, inner, options).nanoseconds;
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

SamplingPolicy Case::limited_policy(int most_samples) const {
  SamplingPolicy policy = policy_;
  if (work_.bytes > 0) {
    const double allowed = std::floor(policy.max_volume / work_.bytes);
    if (allowed < policy.max_samples)
      policy.max_samples = std::max(static_cast<int>(allowed), policy.min_samples);
  }
  if (most_samples > 0) {
    policy.max_samples = std::min(policy.max_samples, most_samples);
    if (policy.iterations) policy.iterations = std::min(*policy.iterations, most_samples);
  }
  return policy;
}

void Case::take_batch(const Sample& sample, const MeasureOptions& options, std::size_t batch,
                      Taken& taken) {
  taken.began.reserve(taken.began.size() + batch);
  taken.nanoseconds.reserve(taken.nanoseconds.size() + batch);
  for (std::size_t i = 0; i < batch; ++i) {
    const Timed timed = take(sample, taken.inner, options);
    taken.began.push_back(timed.began);
    taken.nanoseconds.push_back(timed.nanoseconds);
    taken.before.push_back(timed.before);
    taken.is_void.push_back(timed.is_void ? 1 : 0);
  }
}

void Case::sample_until_stop(const Sample& sample, const MeasureOptions& options, Taken& taken) {
  const SamplingPolicy policy = limited_policy(options.most_samples);
  const clock::SyncedClock& clock = session_.clock();
  const bool on_clock = uses_clock(options);
  // So that there is a vote before the clock is much older than it should be.
  const double longest =
      on_clock ? session_.clock_age() / 2 : std::numeric_limits<double>::infinity();
  const auto clock_is_old = [&] { return on_clock && session_.clock_is_old() ? 1 : 0; };
  std::vector<double> values;  // as floating point, for the interval
  double spent = 0;
  // Ranks that read telemetry keep the others waiting here, not in a sample.
  session_.telemetry().begin_samples();
  if (exchange(ranks_, {0, 0, clock_is_old()}).c == 1) session_.sync_clock(group_);
  note_sync(taken);
  while (taken.stop == Stop::no) {
    const std::uint64_t start = clock.now();
    take_batch(sample, options, next_batch(policy, values.size(), spent, longest), taken);
    const std::uint64_t batch_ns = clock.now() - start;
    for (std::size_t i = values.size(); i < taken.nanoseconds.size(); ++i)
      values.push_back(static_cast<double>(taken.nanoseconds[i]));
    session_.telemetry().between_samples(values.size());
    // Samples of other ranks than the one that the row is of keep nobody waiting.
    const bool counts = options.rank_reduce != RankReduce::root || rank() == 0;
    const bool reached = policy.iterations || !counts || interval_reached(policy, values);
    const Votes votes =
        exchange(ranks_, {static_cast<std::int64_t>(batch_ns), reached ? 0 : 1, clock_is_old()});
    spent += static_cast<double>(votes.a) * 1e-9;
    taken.stop = decide(policy, values.size(), spent, votes.b == 0);
    if (votes.c == 1) {
      session_.sync_clock(group_);
      note_sync(taken);
    }
  }
  if (on_clock) put_on_clock(taken);
  session_.telemetry().end_samples(options.metric, values.size());
}

void Case::check_round(int round) {
  phase("verify");
  verified(rule_, rounds_.check(round));
}

std::uint64_t Case::run_first(const Sample& sample, const MeasureOptions& options) {
  const bool verifies = rounds_.check && policy_.verify;
  const MeasureOptions together = from_a_barrier(options);
  if (verifies) rounds_.fill(0);
  checkpoint();
  std::uint64_t nanoseconds = 0;
  {
    phase("first call");
    const Communicating inside(*this);
    nanoseconds = take(sample, 1, together).nanoseconds;
  }
  if (verifies) check_round(0);
  return nanoseconds;
}

void Case::run_rounds(const Sample& sample, const MeasureOptions& options) {
  if (!rounds_.check || !policy_.verify) return;
  const MeasureOptions together = from_a_barrier(options);
  for (int round = 1; round < rounds_.count; ++round) {
    phase("verify");
    rounds_.fill(round);
    checkpoint();
    {
      const Communicating inside(*this);
      take(sample, 1, together);
    }
    check_round(round);
  }
}

void Case::measure_samples(const Sample& sample, const MeasureOptions& options) {
  std::optional<std::uint64_t> first;
  if (!options.secondary) {
    first = run_first(sample, options);
    run_rounds(sample, options);
  }
  checkpoint();
  Taken taken;
  int warmup = policy_.warmup.value_or(options.warmup);
  if (options.most_samples > 0) warmup = std::min(warmup, options.most_samples);
  {
    phase("warm-up");
    const Communicating inside(*this);
    taken.inner = choose_inner(sample, options);
    for (int i = 0; i < warmup; ++i) take(sample, taken.inner, options);
    if (options.barrier && !options.secondary) note_barrier_time();
    phase("measure");
    sample_until_stop(sample, options, taken);
  }
  samples_taken_ = taken.nanoseconds.size();
  if (options.secondary) {
    phase("gather");
    return record_taken(taken, options);
  }
  result_.stop_reason = to_string(taken.stop);
  // The data that the last timed operation left.
  if (rounds_.check && policy_.verify && rounds_.inputs_stay) check_round(rounds_.count - 1);
  phase("gather");
  record_taken(taken, options);
  add_work_metrics(options.metric);
  record_durations("first_call", std::vector<std::uint64_t>{*first}, options.rank_reduce);
  result_.metrics.back().samples.scale = 1e-9 * options.scale;
  record_durations("timer_cost", std::vector<std::uint64_t>{time_clock_readings()},
                   RankReduce::mean);
  result_.metrics.back().samples.inner = kClockReadings;
  primary(options.metric);
}

void Case::record_taken(const Taken& taken, const MeasureOptions& options) {
  record_durations(options.metric, taken.nanoseconds, options.rank_reduce);
  result_.metrics.back().samples.scale = 1e-9 * options.scale;
  result_.metrics.back().samples.inner = taken.inner;
  began(options.metric, taken.began);
  mark_void(taken);
  if (options.before) record_durations("local_time", taken.before, RankReduce::max);
  if (records_lateness(options)) record_lateness(taken, options.metric);
}

void Case::mark_void(const Taken& taken) {
  if (session_.options().sync != Sync::clock || rank_local_) return;
  std::vector<std::int64_t> is_void = taken.is_void;
  ranks_.max(is_void);
  const auto count = std::ranges::count(is_void, 1);
  if (count == 0) return;
  fact("late_starts", static_cast<std::int64_t>(count));
  Samples& samples = result_.metrics.back().samples;
  samples.flags.assign(samples.iterations, 0);
  for (std::size_t i = 0; i < is_void.size(); ++i) {
    if (is_void[i] != 0) samples.flags[i] = kInvalid;
  }
}

void Case::add_work_metrics(const std::string& duration) {
  if (work_.bytes > 0) {
    record_rate("bandwidth", "By/s", duration, work_.bytes, fmt::format("bytes / {}", duration));
  }
  if (work_.bytes > 0 && work_.bus_factor > 0) {
    record_rate("bus_bandwidth", "By/s", duration, work_.bytes * work_.bus_factor, work_.formula);
  }
  if (work_.messages > 0)
    record_rate("message_rate", "1/s", duration, work_.messages,
                fmt::format("messages / {}", duration));
  if (work_.flops > 0) record_flops(duration, work_.flops, work_.precision, work_.formula);
  if (work_.bytes > 0 && work_.carrier != Carrier::unstated) add_link_metrics(duration);
}

}  // namespace scalemark
