// SPDX-License-Identifier: Apache-2.0
// From an operation to samples: first call, verification, warm-up, sampling, gathering.
#include "common/core/case/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "common/base/clock.hpp"
#include "common/core/exchange.hpp"
#include "common/core/session.hpp"
#include "common/stats/summary.hpp"

namespace scalemark {
namespace {

constexpr std::uint64_t kMaxInner = 1'000'000;

/// Clock readings in one sample of timer_cost.
constexpr std::uint64_t kClockReadings = 1000;

/// Barriers whose median duration is barrier_time.
constexpr int kBarriers = 15;

/// Seconds of work before the samples of a case that computes on a GPU. Under a load that needs
/// more than its power limit a GPU lowers its clock soon after the beginning: an H200 after 30 ms
/// (tf32) to 80 ms (fp16) of products (results/h200/products.h5).
constexpr double kGpuSettles = 0.5;
constexpr double kMaxSettling = 100'000;  ///< calls

std::uint64_t time_clock_readings() {
  const std::uint64_t start = now_ns();
  std::uint64_t last = start;
  for (std::uint64_t i = 0; i < kClockReadings; ++i) last = now_ns();
  return last - start;
}

/// Samples of `inner` operations that hold `operations`.
int samples_for(int operations, std::uint64_t inner) {
  return static_cast<int>((static_cast<std::uint64_t>(operations) + inner - 1) / inner);
}

/// First calls and verified calls always start together.
MeasureOptions from_a_barrier(MeasureOptions options) {
  options.barrier = true;
  return options;
}

}  // namespace

void Sampler::verify(const std::string& rule, VerificationRounds rounds) {
  rule_ = rule;
  rounds_ = std::move(rounds);
}

std::size_t Sampler::measure(const Sample& sample, const MeasureOptions& options) {
  std::optional<std::uint64_t> first_call;
  if (!options.secondary) {
    first_call = run_first(sample, options);
    run_rounds(sample, options);
  }
  throw_if_peer_failed(context_.ranks());
  Taken taken{.began = {},
              .nanoseconds = {},
              .before = {},
              .is_void = {},
              .lateness = Lateness(context_, options)};
  {
    progress_.phase("warm-up");
    const CaseProgress::Communicating inside(progress_);
    warm_up(sample, options, taken);
    progress_.phase("measure");
    sample_until_stop(sample, options, taken);
  }
  if (first_call) {
    record_primary(taken, options, *first_call);
  } else {
    progress_.phase("gather");
    record_taken(taken, options);
  }
  return taken.nanoseconds.size();
}

std::uint64_t Sampler::run_first(const Sample& sample, const MeasureOptions& options) {
  const MeasureOptions together = from_a_barrier(options);
  if (verifies()) rounds_.fill(0);
  throw_if_peer_failed(context_.ranks());
  std::uint64_t nanoseconds = 0;
  {
    progress_.phase("first call");
    const CaseProgress::Communicating inside(progress_);
    nanoseconds = take(sample, 1, together).nanoseconds;
  }
  if (verifies()) check_round(0);
  return nanoseconds;
}

void Sampler::run_rounds(const Sample& sample, const MeasureOptions& options) {
  if (!verifies()) return;
  const MeasureOptions together = from_a_barrier(options);
  for (int round = 1; round < rounds_.count; ++round) {
    progress_.phase("verify");
    rounds_.fill(round);
    throw_if_peer_failed(context_.ranks());
    {
      const CaseProgress::Communicating inside(progress_);
      take(sample, 1, together);
    }
    check_round(round);
  }
}

void Sampler::check_round(int round) {
  progress_.phase("verify");
  recorder_.verified(rule_, rounds_.check(round));
}

Sampler::Timed Sampler::take(const Sample& sample, std::uint64_t inner,
                             const MeasureOptions& options) {
  // Rank-local work never waits for other ranks: one of them may have failed.
  const bool in_time = !options.barrier || context_.rank_local || start_together();
  std::uint64_t before = 0;
  if (options.before) {
    const std::uint64_t start = now_ns();
    options.before();
    before = now_ns() - start;
  }
  Timed timed = sample(inner);
  timed.before = before;
  timed.is_void = !in_time;
  progress_.report();
  return timed;
}

bool Sampler::start_together() {
  Session& session = context_.session;
  if (session.options().sync == Sync::clock)
    return session.synced_start(context_.group).wait().in_time;
  if (communicator_)
    communicator_->barrier();
  else
    context_.ranks().barrier();
  return true;
}

std::uint64_t Sampler::max_inner() const {
  const SamplingPolicy& policy = context_.policy;
  if (!policy.operations) return kMaxInner;
  return static_cast<std::uint64_t>(std::max(1, *policy.operations / policy.min_samples));
}

std::uint64_t Sampler::choose_inner(const Sample& sample, const MeasureOptions& options) {
  if (options.inner != 0) return options.inner;
  const auto fixed = context_.fixed_inner.find(options.metric);
  if (fixed != context_.fixed_inner.end()) return fixed->second;
  const std::uint64_t max = max_inner();
  std::uint64_t inner = 1;
  for (;;) {
    const auto taken = static_cast<std::int64_t>(take(sample, inner, options).nanoseconds);
    // The slowest rank decides, and all ranks use the same count.
    const double seconds = static_cast<double>(largest(context_.ranks(), taken)) * 1e-9;
    if (seconds >= options.inner_time || inner >= max) return inner;
    const double factor =
        std::clamp(1.2 * options.inner_time / std::max(seconds, 1e-9), 2.0, 100.0);
    inner =
        std::min(max, static_cast<std::uint64_t>(std::ceil(static_cast<double>(inner) * factor)));
  }
}

SamplingPolicy Sampler::limited_policy(std::uint64_t inner, int max_samples) const {
  SamplingPolicy policy = context_.policy;
  if (policy.operations) policy.iterations = samples_for(*policy.operations, inner);
  if (const double bytes = rates_.work().bytes; bytes > 0) {
    const double allowed = std::floor(policy.max_volume / bytes);
    if (allowed < policy.max_samples)
      policy.max_samples = std::max(static_cast<int>(allowed), policy.min_samples);
  }
  if (max_samples > 0) {
    policy.max_samples = std::min(policy.max_samples, max_samples);
    if (policy.iterations) policy.iterations = std::min(*policy.iterations, max_samples);
  }
  return policy;
}

void Sampler::warm_up(const Sample& sample, const MeasureOptions& options, Taken& taken) {
  int calls = context_.policy.warmup.value_or(options.warmup);
  if (options.max_samples > 0) calls = std::min(calls, options.max_samples);
  taken.inner = choose_inner(sample, options);
  if (context_.policy.operations) calls = samples_for(calls, taken.inner);
  for (int i = 0; i < calls; ++i) take(sample, taken.inner, options);
  if (context_.computes_on_gpu() && rates_.work().flops > 0 && !context_.policy.warmup &&
      options.max_samples == 0 && !options.secondary)
    settle_gpu(sample, options, taken.inner);
  if (options.barrier && !options.secondary) record_barrier_time();
}

void Sampler::settle_gpu(const Sample& sample, const MeasureOptions& options, std::uint64_t inner) {
  const auto one = static_cast<std::int64_t>(take(sample, inner, options).nanoseconds);
  // All ranks make as many calls as the slowest needs.
  const double seconds = static_cast<double>(largest(context_.ranks(), one)) * 1e-9;
  const auto calls =
      static_cast<int>(std::min(std::ceil(kGpuSettles / std::max(seconds, 1e-9)), kMaxSettling));
  for (int i = 1; i < calls; ++i) take(sample, inner, options);
}

void Sampler::record_barrier_time() {
  const mpi::Comm& ranks = context_.ranks();
  if (context_.session.options().sync == Sync::clock || context_.rank_local || ranks.size() == 1)
    return;
  std::vector<double> taken;
  for (int i = 0; i < kBarriers; ++i) {
    const std::uint64_t start = now_ns();
    start_together();
    taken.push_back(static_cast<double>(now_ns() - start) * 1e-9);
  }
  recorder_.fact("barrier_time", stats::median(taken));
}

void Sampler::take_batch(const Sample& sample, const MeasureOptions& options, std::size_t batch,
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

void Sampler::sync_clock(Taken& taken) {
  context_.session.sync_clock(context_.group);
  taken.lateness.note_sync(taken.began);
}

void Sampler::sample_until_stop(const Sample& sample, const MeasureOptions& options, Taken& taken) {
  Session& session = context_.session;
  const SamplingPolicy policy = limited_policy(taken.inner, options.max_samples);
  const bool on_clock = taken.lateness.uses_clock();
  // Short batches, so that ranks vote before the clock is much too old.
  const double longest =
      on_clock ? session.clock_age() / 2 : std::numeric_limits<double>::infinity();
  const auto clock_is_old = [&] { return on_clock && session.clock_is_old(); };
  std::vector<double> values;  // as floating point, for the interval
  double spent = 0;
  // Ranks that read telemetry do so here, so that no other rank waits for them in a sample.
  session.telemetry().begin_samples();
  if (exchange(context_.ranks(), {.clock_is_old = clock_is_old()}).clock_is_old)
    session.sync_clock(context_.group);
  taken.lateness.note_sync(taken.began);
  while (taken.stop == Stop::no) {
    const std::uint64_t start = session.clock().now();
    take_batch(sample, options, next_batch(policy, values.size(), spent, longest), taken);
    const std::uint64_t batch_ns = session.clock().now() - start;
    for (std::size_t i = values.size(); i < taken.nanoseconds.size(); ++i)
      values.push_back(static_cast<double>(taken.nanoseconds[i]));
    session.telemetry().between_samples(values.size());
    // Where only rank 0's samples count, the other ranks' samples do not prolong sampling.
    const bool counts = options.rank_reduce != RankReduce::root || context_.is_root();
    const bool reached = policy.iterations || !counts || interval_reached(policy, values);
    const Votes votes =
        exchange(context_.ranks(), {.nanoseconds = static_cast<std::int64_t>(batch_ns),
                                    .needs_samples = !reached,
                                    .clock_is_old = clock_is_old()});
    spent += static_cast<double>(votes.nanoseconds) * 1e-9;
    taken.stop = decide(policy, values.size(), spent, !votes.needs_samples);
    if (votes.clock_is_old) sync_clock(taken);
  }
  if (on_clock) taken.lateness.convert(taken.began);
  session.telemetry().end_samples(options.metric, values.size());
}

void Sampler::record_primary(const Taken& taken, const MeasureOptions& options,
                             std::uint64_t first_call) {
  context_.result.stop_reason = to_string(taken.stop);
  // The data that the last timed operation left.
  if (verifies() && rounds_.inputs_stay) check_round(rounds_.count - 1);
  progress_.phase("gather");
  record_taken(taken, options);
  rates_.record(options.metric);
  Metric& first = recorder_.record_durations("first_call", std::vector<std::uint64_t>{first_call},
                                             options.rank_reduce);
  first.samples.scale = 1e-9 * options.scale;
  Metric& timer = recorder_.record_durations(
      "timer_cost", std::vector<std::uint64_t>{time_clock_readings()}, RankReduce::mean);
  timer.samples.inner = kClockReadings;
  recorder_.set_primary(options.metric);
}

void Sampler::record_taken(const Taken& taken, const MeasureOptions& options) {
  Metric& metric =
      recorder_.record_durations(options.metric, taken.nanoseconds, options.rank_reduce);
  metric.samples.scale = 1e-9 * options.scale;
  metric.samples.inner = taken.inner;
  recorder_.began(options.metric, taken.began);
  mark_void(taken, metric);
  if (options.before) recorder_.record_durations("local_time", taken.before, RankReduce::max);
  taken.lateness.record(recorder_, options.metric);
}

void Sampler::mark_void(const Taken& taken, Metric& metric) {
  if (context_.session.options().sync != Sync::clock || context_.rank_local) return;
  std::vector<std::int64_t> is_void = taken.is_void;
  context_.ranks().max(is_void);
  const auto count = std::ranges::count(is_void, 1);
  if (count == 0) return;
  recorder_.fact("late_starts", static_cast<std::int64_t>(count));
  Samples& samples = metric.samples;
  samples.flags.assign(samples.iterations, 0);
  for (std::size_t i = 0; i < is_void.size(); ++i) {
    if (is_void[i] != 0) samples.flags[i] = kInvalid;
  }
}

}  // namespace scalemark
