// SPDX-License-Identifier: Apache-2.0
// Durations of known distributions go through the real sampler and its votes: how often the row's
// interval covers the true median, and where sampling stops; on 1, 2, 3 and 4 ranks, each with
// noise of its own. 100 trials of each kind, 1,000 with SCALEMARK_ALL_TRIALS set.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "common/core/case.hpp"
#include "common/result/summarise.hpp"
#include "common/stats/summary.hpp"
#include "tests/support/planted_source.hpp"
#include "tests/support/run_case.hpp"

namespace scalemark {
namespace {

using test::Noise;
using test::NoiseKind;
using test::Random;

using test::world;

/// What every duration comes from, and the clock that goes on by it alone.
struct Source {
  Noise noise;  ///< this rank's
  bool barrier = false;
  std::uint64_t seed = 0, now = 1'000'000'000;
};
Source source;

/// Rank r's noise: half as much again for each rank.
Noise noise_of(NoiseKind kind, double spread, int rank) {
  return {.kind = kind, .spread = spread * (1 + 0.5 * rank)};
}

void planted(Case& c) {
  const auto trial = static_cast<std::uint64_t>(c.integer("trial"));
  Random random((source.seed * 1'000'000 + trial) * 100 + static_cast<std::uint64_t>(c.rank()));
  std::int64_t calls = 0;
  const std::size_t timed = c.measure_timed(
      [&] {
        ++calls;
        const auto taken = static_cast<std::uint64_t>(std::llround(source.noise.draw(random)));
        source.now += taken;
        return taken;
      },
      {.metric = "latency", .barrier = source.barrier, .warmup = 3});
  EXPECT_EQ(calls, 1 + 3 + static_cast<std::int64_t>(timed));
  EXPECT_EQ(world().min(calls), world().max(calls)) << "ranks took different numbers of samples";
}

struct Experiment {
  NoiseKind kind = NoiseKind::lognormal;
  double spread = 0.1;
  SamplingPolicy policy = {};
  int trials = 1;
  bool barrier = false;
  std::uint64_t seed = 1;
};

/// Collective. The rows of all trials, on rank 0.
std::vector<CaseResult> carry_out(const Experiment& experiment) {
  source = {.noise = noise_of(experiment.kind, experiment.spread, world().rank()),
            .barrier = experiment.barrier,
            .seed = experiment.seed};
  SessionOptions options;
  options.placement = hardware::Policy::none;
  options.telemetry.seconds.reset();
  options.local_clock.now = [] { return source.now; };
  options.clock_age = 1e9;
  Session session(world(), options);
  Registry registry;
  registry.add(Benchmark("test/planted", planted))
      .axis_integer("trial", {.minimum = 0,
                              .maximum = 1 << 20,
                              .defaults = "0",
                              .doc = "Number of the trial",
                              .unit = "1"});
  PlanRequest request;
  request.policy = experiment.policy;
  request.overrides = {parse_override("ranks=" + std::to_string(world().size())),
                       parse_override("trial=0:" + std::to_string(experiment.trials - 1) + ":+1")};
  test::KeepingSink sink;
  const RunOutcome outcome =
      Runner(session, sink, {}).run(make_plan(registry, request, session.context()));
  EXPECT_EQ(outcome.ok, static_cast<std::size_t>(experiment.trials));
  return std::move(sink.results);
}

// Where sampling stops ----------------------------------------------------------------------------

std::vector<double> first_samples(const Samples& samples, std::size_t rank, std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(samples.value(rank, i));
  return values;
}

/// Whether each rank knows its median to `--ci` percent from its first `count` samples.
bool known_well(const SamplingPolicy& policy, const Samples& samples, std::size_t count) {
  if (count < static_cast<std::size_t>(policy.min_samples)) return false;
  for (std::size_t rank = 0; rank < samples.ranks; ++rank) {
    const std::vector<double> values = first_samples(samples, rank, count);
    const stats::Interval interval = stats::median_interval(values);
    const double median = stats::median(values);
    if (std::max(interval.high - median, median - interval.low) > policy.ci_percent / 100 * median)
      return false;
  }
  return true;
}

/// The votes of a case as its samples tell them: when each was, and what it had to decide.
struct Vote {
  std::size_t samples = 0;
  double seconds = 0;  ///< the slowest ranks', batch by batch
  std::string stop;    ///< empty: go on
};

std::string decision(const SamplingPolicy& policy, const Samples& samples, const Vote& vote) {
  const auto reached = [&](int count) { return vote.samples >= static_cast<std::size_t>(count); };
  if (reached(policy.iterations.value_or(policy.max_samples))) return "count";
  if (vote.seconds >= policy.max_time) return "time";
  if (policy.iterations) return "";
  const bool enough = vote.seconds >= policy.min_time;
  return enough && known_well(policy, samples, vote.samples) ? "ci" : "";
}

std::vector<Vote> votes_of(const SamplingPolicy& policy, const Samples& samples, double longest) {
  std::vector<Vote> votes = {{}};
  while (votes.back().stop.empty() && votes.back().samples < samples.iterations) {
    Vote vote = votes.back();
    const std::size_t batch = next_batch(policy, vote.samples, vote.seconds, longest);
    if (vote.samples + batch > samples.iterations) break;
    double slowest = 0;
    for (std::size_t rank = 0; rank < samples.ranks; ++rank) {
      double taken = 0;
      for (std::size_t i = 0; i < batch; ++i) taken += samples.value(rank, vote.samples + i);
      slowest = std::max(slowest, taken);
    }
    vote.samples += batch;
    vote.seconds += slowest;
    vote.stop = decision(policy, samples, vote);
    votes.push_back(vote);
  }
  return votes;
}

struct Rule {
  const char* name;
  double spread;
  const char* reason;
  PolicyChange policy;
};

/// A millisecond a sample.
std::vector<Rule> rules() {
  std::vector<Rule> all;
  const auto rule = [&](const char* name, double spread, const char* reason) -> PolicyChange& {
    return all.emplace_back(Rule{name, spread, reason, {}}).policy;
  };
  rule("-n", 0.1, "count").iterations = 137;
  PolicyChange& few = rule("-n before --max-time", 0.1, "count");
  few.iterations = 137;
  few.max_time = 100;
  PolicyChange& short_time = rule("--max-time before -n", 0.1, "time");
  short_time.iterations = 137;
  short_time.max_time = 0.05;
  PolicyChange& most = rule("most samples", 0.5, "count");
  most.max_samples = 300;
  most.ci_percent = 0.01;
  most.max_time = 100;
  PolicyChange& long_time = rule("--max-time", 0.5, "time");
  long_time.max_time = 0.15;
  long_time.ci_percent = 0.01;
  // Fewer samples than otherwise are the least.
  rule("--max-time that is soon over", 0.01, "time").max_time = 5e-3;
  rule("--ci", 0.1, "ci").max_time = 100;
  PolicyChange& many = rule("least samples", 1e-3, "ci");
  many.min_samples = 50;
  many.max_time = 100;
  rule("--min-time", 1e-3, "ci").min_time = 0.1;
  return all;
}

void expect_first_vote_that_holds(const Rule& rule, const SamplingPolicy& policy,
                                  const CaseResult& row, double longest) {
  const Samples& samples = row.find("latency")->samples;
  EXPECT_EQ(row.stop_reason, rule.reason);
  EXPECT_EQ(samples.ranks, static_cast<std::size_t>(world().size()));
  const std::vector<Vote> votes = votes_of(policy, samples, longest);
  ASSERT_GE(votes.size(), 2U);
  const Vote &last = votes.back(), &before = votes[votes.size() - 2];
  EXPECT_EQ(last.stop, rule.reason) << "no rule held at the last vote";
  EXPECT_EQ(last.samples, samples.iterations) << "a rule held before the last vote";
  if (policy.iterations && last.stop == "count") {
    EXPECT_EQ(last.samples, static_cast<std::size_t>(*policy.iterations));
  } else if (last.stop == "time") {
    EXPECT_GE(last.seconds, policy.max_time);
    EXPECT_LT(before.seconds, policy.max_time);
  } else if (last.stop == "ci") {
    EXPECT_GE(last.samples, static_cast<std::size_t>(policy.min_samples));
    EXPECT_GE(last.seconds, policy.min_time);
    EXPECT_LE(last.samples, 2 * before.samples);
  }
}

TEST(Planted, SamplingStopsAtTheFirstVoteAtWhichARuleHolds) {
  for (const bool barrier : {false, true}) {
    for (const Rule& rule : rules()) {
      SCOPED_TRACE(rule.name);
      Experiment experiment{.spread = rule.spread, .trials = 10, .barrier = barrier};
      experiment.policy = rule.policy.apply({});
      // Cases on the common clock, which all ranks with a barrier are, vote now and then anyway.
      const bool on_clock = barrier && world().size() > 1;
      const double longest = on_clock ? 0.5e9 : std::numeric_limits<double>::infinity();
      for (const CaseResult& row : carry_out(experiment))
        expect_first_vote_that_holds(rule, experiment.policy, row, longest);
    }
  }
}

// How often the interval covers the truth ---------------------------------------------------------

bool all_trials() { return std::getenv("SCALEMARK_ALL_TRIALS") != nullptr; }

/// Trials, and which numbers of covered ones pass. Of 1,000: 93 to 97 %. Of 100: what the binomial
/// distribution with 95 % allows but for one time in 1,000 below (86 or fewer: 0.0005); 100 of 100
/// would be chance once in 170.
struct Band {
  int trials, least, most;
};
Band band() { return all_trials() ? Band{1000, 930, 970} : Band{100, 87, 100}; }

int covered(const std::vector<CaseResult>& rows, double truth_ns) {
  return static_cast<int>(std::ranges::count_if(rows, [&](const CaseResult& row) {
    const Summary summary = summarise(row, *row.find("latency"));
    return summary.low <= truth_ns * 1e-9 && truth_ns * 1e-9 <= summary.high;
  }));
}

void expect_coverage(Experiment experiment, const char* name) {
  const Band allowed = band();
  experiment.trials = allowed.trials;
  const std::vector<CaseResult> rows = carry_out(experiment);
  if (!test::root()) return;
  std::vector<Noise> ranks;
  for (int rank = 0; rank < world().size(); ++rank)
    ranks.push_back(noise_of(experiment.kind, experiment.spread, rank));
  const int hits = covered(rows, test::median_of_longest(ranks));
  double samples = 0;
  for (const CaseResult& row : rows)
    samples += static_cast<double>(row.find("latency")->samples.iterations);
  std::printf("%s, %d ranks: %d of %d intervals cover the truth, %.0f samples each\n", name,
              world().size(), hits, allowed.trials, samples / allowed.trials);
  EXPECT_GE(hits, allowed.least) << name;
  EXPECT_LE(hits, allowed.most) << name;
}

TEST(Planted, IntervalOfAFixedCountCoversTheTruth) {
  SamplingPolicy policy;
  policy = PolicyChange{.iterations = 2000}.apply(policy);
  expect_coverage({.kind = NoiseKind::normal, .spread = 0.05, .policy = policy, .seed = 11},
                  "-n 2000, normal");
  expect_coverage({.kind = NoiseKind::lognormal, .spread = 0.3, .policy = policy, .seed = 12},
                  "-n 2000, lognormal");
  expect_coverage({.kind = NoiseKind::exponential, .spread = 0.5, .policy = policy, .seed = 13},
                  "-n 2000, exponential");
}

TEST(Planted, IntervalCoversTheTruthWhereTheIntervalItselfStops) {
  SamplingPolicy policy;
  policy.max_time = 1000;
  expect_coverage({.kind = NoiseKind::normal, .spread = 0.15, .policy = policy, .seed = 21},
                  "--ci 2, normal");
  expect_coverage({.kind = NoiseKind::lognormal, .spread = 0.2, .policy = policy, .seed = 22},
                  "--ci 2, lognormal");
  expect_coverage({.kind = NoiseKind::exponential, .spread = 0.5, .policy = policy, .seed = 23},
                  "--ci 2, exponential");
}

// The truth against its closed form: the longest of n equal lognormals has its median where one has
// 0.5^(1/n). For two: 0.70711 of the normal distribution lie below 0.544953.
TEST(PlantedSource, KnowsTheMedianOfTheLongest) {
  const Noise one{.kind = NoiseKind::lognormal, .spread = 0.3};
  EXPECT_NEAR(test::median_of_longest({one}), 1e6, 1e-3);
  EXPECT_NEAR(test::median_of_longest({one, one}), 1e6 * std::exp(0.3 * 0.544952), 2);
  const Noise tail{.kind = NoiseKind::exponential, .spread = 0.5};
  EXPECT_NEAR(test::median_of_longest({tail, tail, tail}),
              1e6 * (1 - 0.5 * std::log(1 - std::cbrt(0.5))), 1e-3);
}

}  // namespace
}  // namespace scalemark
