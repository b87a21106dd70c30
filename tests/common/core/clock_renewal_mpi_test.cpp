// SPDX-License-Identifier: Apache-2.0
// In long cases the common clock is synchronised anew between samples, so that clocks which drift
// apart for minutes still tell who entered late; 2, 3 and 4 ranks.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "common/core/case.hpp"
#include "tests/common/clock/fake_machine.hpp"
#include "tests/support/run_case.hpp"

namespace scalemark {
namespace {

using clock::test::kSecond;

constexpr double kPpm = 50;          ///< clocks are fast or slow by this
constexpr std::int64_t kEach = 5;    ///< seconds that a sample takes
constexpr int kSamples = 120;        ///< ten minutes: clocks end 60 ms apart
constexpr double kAge = 20;          ///< seconds after which the clock is old
constexpr double kBelieved = 20e-6;  ///< drift that a model may be wrong by (offset_model)

using test::world;

/// This rank's machine: its clock, and the truth when it was read last.
struct Machine {
  Machine()
      : origin(world().max(static_cast<std::int64_t>(now_ns()))),
        own(world().rank(), kPpm, origin),
        reference(0, kPpm, origin) {}

  std::uint64_t read() {
    last_read = time.now();
    return own.at(last_read);
  }

  std::int64_t origin;
  clock::test::TrueTime time;
  clock::test::NodeClock own, reference;
  std::uint64_t last_read = 0;
};

/// What a case found out: when each rank entered each sample, in truth; counts on rank 0.
struct Truth {
  Machine* machine = nullptr;
  std::vector<std::uint64_t> entered;  ///< [rank][sample]
};
Truth truth;

void drifting(Case& c, bool barrier) {
  std::vector<std::uint64_t> mine;
  c.measure_timed(
      [&] {
        mine.push_back(truth.machine->last_read);
        truth.machine->time.skip(kEach);
        return static_cast<std::uint64_t>(kEach * kSecond);
      },
      {.barrier = barrier, .warmup = 0});
  mine.erase(mine.begin());  // the first call
  truth.entered = c.ranks().gather(std::span<const std::uint64_t>(mine));
}

void compared(Case& c) { drifting(c, true); }
void each_for_itself(Case& c) { drifting(c, false); }

std::vector<PlannedCase> plan_of(Registry& registry, const Session& session, int ranks,
                                 const SamplingPolicy& policy) {
  PlanRequest request;
  request.policy = policy;
  request.overrides = {parse_override("ranks=" + std::to_string(ranks))};
  return make_plan(registry, request, session.context());
}

/// A session whose ranks have clocks of their own, and one case in it.
struct Job {
  Job(Benchmark::Function function, int ranks, const SamplingPolicy& policy) {
    SessionOptions options;
    options.placement = hardware::Policy::none;
    options.telemetry.seconds.reset();
    options.local_clock = {.now = [this] { return machine.read(); },
                           .domain = "rank " + std::to_string(world().rank())};
    options.clock_age = kAge;
    session = std::make_unique<Session>(world(), options);
    truth.machine = &machine;
    Registry registry;
    registry.add(Benchmark("test/drifting", function));
    Runner(*session, sink, {}).run(plan_of(registry, *session, ranks, policy));
  }

  /// How far this rank's idea of the reference clock is from the truth now.
  std::int64_t error_now() const {
    const std::uint64_t now = machine.time.now();
    return std::abs(static_cast<std::int64_t>(session->clock().to_global(machine.own.at(now)) -
                                              machine.reference.at(now)));
  }

  Machine machine;
  test::KeepingSink sink;
  std::unique_ptr<Session> session;
};

SamplingPolicy ten_minutes() {
  SamplingPolicy policy;
  policy = PolicyChange{.iterations = kSamples}.apply(policy);
  return policy;
}

double fact(const CaseResult& row, const char* name) {
  return std::get<double>(row.facts.at(name));
}

/// By how much the lateness of two ranks may be wrong, in seconds: each knows the time to half the
/// round trips between it and rank 0 while there are syncs on either side, and what it believes of
/// the drift behind the last one.
double allowed_error(const CaseResult& row, int ranks) {
  const auto rounds = static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)));
  const double known = rounds * fact(row, "clock_round_trip") / 2;
  return 2 * (known + kBelieved * (1.5 * kAge + kEach));
}

void expect_true_lateness(const CaseResult& row, int ranks) {
  ASSERT_EQ(row.status, Status::ok) << row.reason;
  const Samples& lateness = row.find("lateness")->samples;
  const auto n = static_cast<std::size_t>(kSamples), all = static_cast<std::size_t>(ranks);
  ASSERT_EQ(lateness.iterations, n);
  ASSERT_EQ(truth.entered.size(), n * all);
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t first = truth.entered[i];
    for (std::size_t rank = 0; rank < all; ++rank)
      first = std::min(first, truth.entered[rank * n + i]);
    for (std::size_t rank = 0; rank < all; ++rank) {
      const auto late = static_cast<double>(truth.entered[rank * n + i] - first) * 1e-9;
      worst = std::max(worst, std::abs(lateness.value(rank, i) - late));
    }
  }
  EXPECT_LE(worst, allowed_error(row, ranks));
}

void expect_syncs(const CaseResult& row, int ranks) {
  EXPECT_EQ(std::get<std::string>(row.facts.at("clock_method")), "hca3");
  // Two votes in an age of the clock.
  EXPECT_GE(std::get<std::int64_t>(row.facts.at("clock_syncs")),
            static_cast<std::int64_t>(kSamples * kEach / (1.5 * kAge)));
  const auto rounds = static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)));
  EXPECT_LE(fact(row, "clock_residual"), rounds * fact(row, "clock_round_trip"));
}

TEST(ClockRenewal, KeepsLatenessTrueWhileClocksDriftForMinutes) {
  SamplingPolicy by_time;
  by_time.max_time = kSamples * kEach - 1;
  by_time.min_samples = kSamples;
  for (const SamplingPolicy& policy : {ten_minutes(), by_time}) {
    const Job job(compared, world().size(), policy);
    if (!test::root()) continue;
    expect_true_lateness(job.sink.results.at(0), world().size());
    expect_syncs(job.sink.results[0], world().size());
  }
}

// The ranks left out sleep meanwhile, and know the time again once all have synchronised.
TEST(ClockRenewal, IsAmongTheRanksOfTheCase) {
  const int ranks = std::max(2, world().size() - 1);
  Job job(compared, ranks, ten_minutes());
  if (test::root()) {
    expect_true_lateness(job.sink.results.at(0), ranks);
    expect_syncs(job.sink.results[0], ranks);
  }
  if (world().rank() >= ranks) job.machine.time.skip((kSamples + 1) * kEach);
  job.session->sync_clock();
  const auto bound = static_cast<std::int64_t>(job.session->clock().error_bound_ns());
  // What was synchronised a moment ago, by clocks 100 parts in a million apart.
  const double since = job.session->clock().seconds_since_sync() + 1;
  EXPECT_LE(job.error_now(), bound + static_cast<std::int64_t>(since * 1e5));
}

TEST(ClockRenewal, IsLeftOutWhereNothingIsComparedOnTheClock) {
  const Job job(each_for_itself, world().size(), ten_minutes());
  EXPECT_GE(job.session->clock().seconds_since_sync(), kSamples * kEach);
  if (test::root()) {
    EXPECT_FALSE(job.sink.results.at(0).facts.contains("clock_syncs"));
  }
}

void sleeps(Case& c) {
  c.measure([] { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }, {.warmup = 0});
}

// Real time and the node's one clock: a second of samples, an age of 0.2 s.
TEST(ClockRenewal, ResidualOfARealClockIsBelowARoundTrip) {
  SessionOptions options;
  options.placement = hardware::Policy::none;
  options.clock_age = 0.2;
  Session session(world(), options);
  Registry registry;
  registry.add(Benchmark("test/sleeps", sleeps));
  SamplingPolicy policy;
  policy.min_time = policy.max_time = 1;
  test::KeepingSink sink;
  Runner(session, sink, {}).run(plan_of(registry, session, world().size(), policy));
  if (!test::root()) return;
  const CaseResult& row = sink.results.at(0);
  EXPECT_EQ(std::get<std::string>(row.facts.at("clock_method")), "one clock");
  EXPECT_GE(std::get<std::int64_t>(row.facts.at("clock_syncs")), 3);
  EXPECT_LT(fact(row, "clock_residual"), fact(row, "clock_round_trip"));
}

}  // namespace
}  // namespace scalemark
