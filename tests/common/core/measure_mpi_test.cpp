// SPDX-License-Identifier: Apache-2.0
// Options of measuring, windows, and the start of MPI, as a benchmark sees them; 1, 2 and 4 ranks.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <vector>

#include <gtest/gtest.h>

#include "common/core/case.hpp"
#include "tests/support/run_case.hpp"

namespace scalemark {
namespace {

using test::world;

/// Cases of `functions`, one after the other, in one session.
std::vector<CaseResult> run_all(const std::vector<Benchmark::Function>& functions,
                                SamplingPolicy policy = {}, SessionOptions options = {},
                                int ranks = world().size()) {
  options.placement = hardware::Policy::none;
  Session session(world(), options);
  Registry registry;
  for (std::size_t i = 0; i < functions.size(); ++i)
    registry.add(Benchmark("test/case" + std::to_string(i), functions[i]));
  PlanRequest request;
  request.policy = policy;
  request.overrides = {parse_override("ranks=" + std::to_string(ranks))};
  test::KeepingSink sink;
  Runner(session, sink, {}).run(make_plan(registry, request, session.context()));
  return sink.results;
}

/// Rank 0 has equal samples; those of the last rank never settle.
std::uint64_t wild_but_on_root(const Case& c, std::uint64_t& calls) {
  ++calls;
  return c.rank() == 0 || calls % 2 == 0 ? 1000 : 1000 * calls;
}

void measured_on_root(Case& c) {
  std::uint64_t calls = 0;
  c.measure_timed([&] { return wild_but_on_root(c, calls); }, {.rank_reduce = RankReduce::root});
}

void measured_on_all(Case& c) {
  std::uint64_t calls = 0;
  c.measure_timed([&] { return wild_but_on_root(c, calls); }, {.rank_reduce = RankReduce::max});
}

TEST(Measure, StopsByTheSamplesThatCount) {
  SamplingPolicy policy;
  policy.max_samples = 500;
  policy.max_time = 30;
  const auto results = run_all({measured_on_root, measured_on_all}, policy);
  if (!test::root()) return;
  EXPECT_EQ(results.at(0).stop_reason, "ci");
  EXPECT_EQ(results.at(1).stop_reason, world().size() == 1 ? "ci" : "count");
}

int calls_of_few = 0;

void few(Case& c) {
  calls_of_few = 0;
  c.measure([] { ++calls_of_few; }, {.warmup = 3, .max_samples = 7});
}

TEST(Measure, NeverTakesMoreThanTheBenchmarkAllows) {
  SamplingPolicy policy;
  policy = PolicyChange{.iterations = 50}.apply(policy);
  policy.warmup = 40;
  const auto asked = run_all({few}, policy);
  EXPECT_EQ(calls_of_few, 1 + 7 + 7) << "first call, warm-up, samples";
  policy = {};
  policy.min_samples = 30;
  const auto adaptive = run_all({few}, policy);
  EXPECT_EQ(calls_of_few, 1 + 3 + 7);
  if (!test::root()) return;
  EXPECT_EQ(asked.at(0).find("time")->samples.iterations, 7U);
  EXPECT_EQ(adaptive.at(0).find("time")->samples.iterations, 7U);
}

template <Carrier carrier>
void moving(Case& c) {
  c.work({.bytes = 1000, .carrier = carrier});
  c.measure([] {}, {.max_samples = 5});
}

void with_a_reason(Case& c) {
  c.fact("peak_missing", std::string("its own"));
  moving<Carrier::unstated>(c);
}

std::string fact_text(const CaseResult& result, const char* name) {
  const auto found = result.facts.find(name);
  return found == result.facts.end() ? "none" : to_text(found->second);
}

// The ranks of a test share a node.
TEST(Measure, WithoutALinkThereIsAReasonAndNoFraction) {
  const auto results = run_all({moving<Carrier::between_ranks>, moving<Carrier::storage>,
                                moving<Carrier::unstated>, with_a_reason});
  if (!test::root()) return;
  for (const CaseResult& one : results) {
    EXPECT_EQ(one.status, Status::ok) << one.reason;
    EXPECT_TRUE(one.find("bandwidth"));
    EXPECT_FALSE(one.find("peak_fraction"));
    EXPECT_FALSE(one.facts.contains("peak_source"));
  }
  EXPECT_EQ(fact_text(results.at(0), "peak_missing"),
            world().size() == 1 ? "no link: one rank" : "no link: shared memory");
  EXPECT_EQ(fact_text(results.at(1), "peak_missing"),
            "no peak is known for storage and page cache");
  EXPECT_EQ(fact_text(results.at(2), "peak_missing"), "no peak is known for this kind of work");
  EXPECT_EQ(fact_text(results.at(3), "peak_missing"), "its own");
  EXPECT_EQ(fact_text(results.at(0), "moved_bytes"), "none");
  EXPECT_EQ(fact_text(results.at(1), "moved_bytes"), "1000");
  EXPECT_EQ(fact_text(results.at(2), "moved_bytes"), "none");
}

void through_memory(Case& c) {
  c.work({.bytes = 1000, .moved = 4000, .flops = 500, .carrier = Carrier::host_memory});
  c.measure([] {}, {.max_samples = 5});
}
void through_memory_in_turn(Case& c) {
  c.work({.bytes = 1000, .carrier = Carrier::host_memory, .in_turn = true});
  c.measure([] {}, {.max_samples = 5});
}
void computing(Case& c) {
  c.work({.bytes = 1000, .flops = 500, .precision = "fp64"});
  c.measure([] {}, {.max_samples = 5});
}

/// The fraction by the rate; 0 where one of them is not there.
double part_of_rate(const CaseResult& result, const char* rate) {
  const Metric *fraction = result.find("peak_fraction"), *whole = result.find(rate);
  return fraction != nullptr && whole != nullptr ? fraction->numerator / whole->numerator : 0;
}

// Unbound ranks use all of the host's memory together; what goes through it counts.
TEST(Measure, RanksShareTheHostsMemory) {
  SessionOptions options;
  options.peaks = Peaks::parse("[memory]\nhost = 4e9\n[cpu_core.flops]\nfp64 = 1e9", "x");
  const auto results = run_all({through_memory, through_memory_in_turn, computing}, {}, options);
  if (!test::root()) return;
  const int ranks = world().size();
  const std::string shared = ranks == 1 ? "" : ", shared by " + std::to_string(ranks) + " ranks";
  EXPECT_DOUBLE_EQ(part_of_rate(results.at(0), "bandwidth"), 4 * ranks / 4e9);
  EXPECT_EQ(fact_text(results[0], "peak_source"), "--peak" + shared);
  EXPECT_EQ(fact_text(results[0], "peak_bandwidth"), to_text(Value(1e9 / ranks)));
  EXPECT_EQ(fact_text(results[0], "moved_bytes"), "4000");
  EXPECT_TRUE(results[0].find("achieved_flops")) << "beside the one fraction, of the bytes";
  EXPECT_EQ(std::ranges::count(results[0].metrics, "peak_fraction", &Metric::name), 1);
  EXPECT_DOUBLE_EQ(part_of_rate(results.at(1), "bandwidth"), 1 / 4e9);
  EXPECT_EQ(fact_text(results[1], "peak_source"), "--peak");
  EXPECT_GT(part_of_rate(results.at(2), "achieved_flops"), 0) << "whose bytes have no peak";
  EXPECT_EQ(std::ranges::count(results[2].metrics, "peak_fraction", &Metric::name), 1);
  EXPECT_EQ(fact_text(results[2], "peak_missing"), "none");
}

void in_no_known_precision(Case& c) {
  c.work({.flops = 500, .precision = "fp1"});
  c.measure([] {}, {.max_samples = 5});
}

TEST(Measure, FlopsWithoutAPeakSayWhy) {
  const auto results = run_all({in_no_known_precision});
  if (!test::root()) return;
  EXPECT_TRUE(results.at(0).find("achieved_flops"));
  EXPECT_FALSE(results.at(0).find("peak_fraction"));
  EXPECT_NE(fact_text(results.at(0), "peak_missing"), "none");
  EXPECT_NE(fact_text(results.at(0), "peak_missing"), "");
}

void put_to_next(Case& c) {
  collective::OneSided& window = c.memory().window(8);
  std::int64_t out = 100 + c.rank();
  window
      .prepare({.kind = collective::Access::Kind::put,
                .sync = collective::Sync::lock,
                .peer = (c.rank() + 1) % c.size(),
                .origin = &out,
                .count = 8})
      ->run();
  window.publish();
  std::int64_t in = 0;
  std::memcpy(&in, window.local().data(), 8);
  if (in != 100 + (c.rank() + c.size() - 1) % c.size()) throw WrongData("not what was put");
}

constexpr std::size_t kLarge = std::size_t{64} << 20;

void fails_with_a_window(Case& c) {
  std::ranges::fill(c.memory().window(kLarge).local(), std::byte{1});
  if (c.rank() == 0) throw WrongData("planted");
}

/// Bytes of this process' address space.
std::uint64_t mapped_bytes() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * 4096;
}

// A window lives as long as its case, however that ends, and is given back by all ranks.
TEST(Window, BelongsToTheCase) {
  run_all({fails_with_a_window});
  const std::uint64_t mapped_before = mapped_bytes();
  const auto results =
      run_all({put_to_next, fails_with_a_window, put_to_next, fails_with_a_window, put_to_next});
  // On one rank it is plain memory, which an allocator may keep.
  if (world().size() > 1) {
    EXPECT_LT(mapped_bytes(), mapped_before + kLarge) << "two were made";
  }
  if (!test::root()) return;
  for (const std::size_t good : {0U, 2U, 4U})
    EXPECT_EQ(results.at(good).status, Status::ok) << results.at(good).reason;
  for (const std::size_t bad : {1U, 3U}) EXPECT_EQ(results.at(bad).status, Status::failed);
}

void too_large(Case& c) { c.memory().window(std::size_t{1} << 45); }

TEST(Window, ThatDoesNotFitEndsTheCaseOnAllRanks) {
  if (world().size() == 1) return;  // plain memory
  const auto results = run_all({too_large, put_to_next});
  if (!test::root()) return;
  EXPECT_EQ(results.at(0).status, Status::oom) << results.at(0).reason;
  EXPECT_EQ(results.at(1).status, Status::ok) << results.at(1).reason;
}

void start_of_mpi(Case& c) {
  const std::vector<double> seconds = {c.inputs().init_seconds()};
  c.record("start", "s", Better::lower, MetricKind::ratio, RankReduce::max, seconds);
}

TEST(InitSeconds, AreThoseOfTheWholeJobOrNone) {
  SessionOptions options;
  options.init_seconds = 0.25 + world().rank();
  const auto known = run_all({start_of_mpi}, {}, options);
  const auto unknown = run_all({start_of_mpi});
  const auto some = run_all({start_of_mpi}, {}, options, 1);
  if (!test::root()) return;
  for (std::size_t rank = 0; rank < known.at(0).find("start")->samples.ranks; ++rank)
    EXPECT_EQ(known[0].find("start")->samples.value(rank, 0), 0.25 + static_cast<double>(rank));
  EXPECT_EQ(unknown.at(0).status, Status::skipped);
  EXPECT_EQ(some.at(0).status, world().size() == 1 ? Status::ok : Status::skipped);
}

}  // namespace
}  // namespace scalemark
