// SPDX-License-Identifier: Apache-2.0
// The runner and the sampler on 1, 2 and 4 ranks: agreement, counts, numbers of known size.
#include <algorithm>
#include <thread>

#include <gtest/gtest.h>

#include "common/base/clock.hpp"
#include "common/core/case.hpp"
#include "common/core/runner.hpp"
#include "common/result/summarise.hpp"
#include "tests/support/one_session.hpp"

namespace scalemark {
namespace {

/// Keeps what it is given.
class MemorySink final : public ResultSink {
 public:
  void begin(const Run&) override {}
  void started(const CaseResult& planned) override { started_keys.push_back(planned.key); }
  void phase(const CaseResult& current) override { phases.push_back(current.phase); }
  void save(const CaseResult&, const CaseState& saved) override { state = saved; }
  void add(const CaseResult& result) override { results.push_back(result); }
  void end(const Run&) override {}
  std::vector<std::string> started_keys, phases;
  std::vector<CaseResult> results;
  std::optional<CaseState> state;
};

using test::world;

class RunnerTest : public test::OneSession<RunnerTest> {
 protected:
  RunOutcome run(Benchmark::Function function, int ranks, SamplingPolicy policy = {},
                 bool local = false) {
    registry = std::make_unique<Registry>();
    Benchmark& benchmark = registry->add(Benchmark("test/one", function));
    if (local) benchmark.rank_local();
    PlanRequest request;
    request.policy = policy;
    request.overrides = {parse_override("ranks=" + std::to_string(ranks))};
    Runner runner(*session, sink,
                  {.finished = {}, .budget = {}, .saved_state = [this](const CaseResult&) {
                     return sink.state;
                   }});
    return runner.run(make_plan(*registry, request, session->context()));
  }

  const CaseResult& only() const { return sink.results.at(0); }

  std::unique_ptr<Registry> registry;
  MemorySink sink;
};

void sleep_two_ms(Case& c) {
  c.measure([] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
}

TEST_F(RunnerTest, MeasuresAKnownTime) {
  SamplingPolicy policy;
  policy = PolicyChange{.iterations = 15}.apply(policy);
  const RunOutcome outcome = run(sleep_two_ms, world().size(), policy);
  EXPECT_EQ(outcome.ok, 1U);
  if (!root()) return;
  const Metric& time = *only().find("time");
  EXPECT_EQ(time.samples.ranks, static_cast<std::size_t>(world().size()));
  EXPECT_EQ(time.samples.iterations, 15U);
  EXPECT_EQ(only().stop_reason, "count");
  const Summary summary = summarise(only(), time);
  EXPECT_GE(summary.min, 2e-3) << "a sleep never ends early";
  EXPECT_LT(summary.median, 20e-3);
}

TEST_F(RunnerTest, ACaseCarriesTheTelemetryOfItsNodes) {
  SamplingPolicy policy;
  policy = PolicyChange{.iterations = 3}.apply(policy);
  run(sleep_two_ms, 1, policy);
  if (!root()) return;
  const std::vector<Column>& columns = only().tables.at("telemetry/node").columns;
  const auto memory = std::ranges::find(columns, "free_memory", &Column::name);
  ASSERT_NE(memory, columns.end());
  EXPECT_EQ(memory->unit, "By");
  EXPECT_GE(std::get<std::vector<double>>(memory->values).size(), 1U);
}

void first_rank_slow(Case& c) {
  c.measure([&c] { std::this_thread::sleep_for(std::chrono::milliseconds(c.rank() == 0 ? 4 : 1)); },
            {.barrier = true});
}

TEST_F(RunnerTest, SamplesKnowWhenTheyBegan) {
  SamplingPolicy policy;
  policy = PolicyChange{.iterations = 5}.apply(policy);
  run(sleep_two_ms, world().size(), policy);
  if (!root()) return;
  const Samples& samples = only().find("time")->samples;
  const auto& taken = std::get<std::vector<std::uint64_t>>(samples.values);
  ASSERT_EQ(samples.t0.size(), samples.iterations);
  for (std::size_t i = 1; i < samples.iterations; ++i)
    EXPECT_GE(samples.t0[i], samples.t0[i - 1] + taken[i - 1]) << "the one before was not over";
}

TEST_F(RunnerTest, TheHeadlineIsTheMaximumOverRanks) {
  SamplingPolicy policy;
  policy = PolicyChange{.iterations = 11}.apply(policy);
  run(first_rank_slow, world().size(), policy);
  if (root()) {
    EXPECT_GE(summarise(only(), *only().find("time")).median, 4e-3);
  }
}

void uneven_noise(Case& c) {
  int call = 0;
  c.measure(
      [&] {
        std::this_thread::sleep_for(
            std::chrono::microseconds(50 + 400 * ((++call + c.rank()) % 3)));
      },
      {.barrier = false});
}

TEST_F(RunnerTest, AllRanksTakeTheSameNumberOfSamplesUnderEveryRule) {
  // Were a rank to stop alone, the gather (or the next vote) would not match: the case would hang
  // or fail.
  SamplingPolicy policy;
  policy.max_time = 0.05;
  policy.ci_percent = 0.001;
  EXPECT_EQ(run(uneven_noise, world().size(), policy, true).ok, 1U);
  if (root()) {
    EXPECT_EQ(only().stop_reason, "time");
  }
}

void quick_batches(Case& c) {
  volatile int sink = 0;
  c.measure([&] { sink = sink + 1; }, {.inner = 0, .inner_time = 1e-4, .barrier = false});
}

TEST_F(RunnerTest, ABatchLastsAtLeastAsLongAsAsked) {
  SamplingPolicy policy;
  policy = PolicyChange{.iterations = 9}.apply(policy);
  run(quick_batches, world().size(), policy, true);
  if (!root()) return;
  const Samples& samples = only().find("time")->samples;
  EXPECT_GT(samples.inner, 1000U);
  EXPECT_LT(summarise(only(), *only().find("time")).median, 1e-6) << "value = sample / inner";
}

TEST_F(RunnerTest, OperationsAreCountedOverSamplesOfSeveral) {
  constexpr std::uint64_t kOperations = 10'000;
  const SamplingPolicy policy =
      PolicyChange{.operations = static_cast<int>(kOperations), .min_samples = 25}.apply({});
  run(quick_batches, world().size(), policy, true);
  if (!root()) return;
  // A sample of 0.1 ms would hold more than all operations: so it holds as many as leave 25
  // samples.
  const Samples& samples = only().find("time")->samples;
  EXPECT_EQ(samples.inner, 400U);
  EXPECT_EQ(samples.iterations, 25U);
  EXPECT_EQ(only().stop_reason, "count");
}

TEST_F(RunnerTest, OperationsThatAreNoMultipleOfASampleAreNotFewer) {
  run(quick_batches, world().size(), PolicyChange{.operations = 70, .min_samples = 20}.apply({}),
      true);
  if (!root()) return;
  const Samples& samples = only().find("time")->samples;
  EXPECT_EQ(samples.inner, 3U);
  EXPECT_EQ(samples.iterations, 24U);
}

TEST_F(RunnerTest, FewOperationsAreASampleEach) {
  run(quick_batches, world().size(), PolicyChange{.operations = 7}.apply({}), true);
  if (!root()) return;
  EXPECT_EQ(only().find("time")->samples.inner, 1U);
  EXPECT_EQ(only().find("time")->samples.iterations, 7U);
}

void skips(Case& c) {
  if (c.rank() == c.size() - 1) throw Unavailable("nothing here");
  c.measure([] {});
}

TEST_F(RunnerTest, OneRanksReasonSkipsTheCaseForAll) {
  EXPECT_EQ(run(skips, world().size()).skipped, 1U);
  if (root()) {
    EXPECT_EQ(only().reason, "nothing here");
  }
}

void throws_while_others_agree(Case& c) {
  if (c.rank() == c.size() - 1) throw std::runtime_error("boom");
  c.all_ranks(true);
}

TEST_F(RunnerTest, AFailureAnswersWhateverTheOthersAgreeOn) {
  EXPECT_EQ(run(throws_while_others_agree, world().size()).failed, 1U);
  if (root()) {
    EXPECT_EQ(only().reason, "rank " + std::to_string(world().size() - 1) + ": boom");
  }
}

void throws_in_work(Case& c) {
  int calls = 0;
  c.measure(
      [&] {
        if (++calls == 7 && c.rank() == c.size() - 1) throw std::runtime_error("boom");
      },
      {.barrier = false});
}

TEST_F(RunnerTest, AFailureInRankLocalWorkIsAgreedOn) {
  EXPECT_EQ(run(throws_in_work, world().size(), {}, true).failed, 1U);
  if (root()) {
    EXPECT_TRUE(only().metrics.empty()) << "a failed case has no numbers";
  }
}

void throws_in_work_with_defaults(Case& c) {
  int calls = 0;
  c.measure([&] {
    if (++calls == 7 && c.rank() == c.size() - 1) throw std::runtime_error("boom");
  });
}

TEST_F(RunnerTest, RankLocalWorkNeverWaitsForTheOthers) {
  EXPECT_EQ(run(throws_in_work_with_defaults, world().size(), {}, true).failed, 1U);
}

void one_rank_has_no_device(Case& c) {
  if (c.rank() == c.size() - 1) throw Unavailable("no CUDA device");
  c.communicator("mpi");
}

TEST_F(RunnerTest, ARankWithoutDeviceSkipsTheCaseBeforeACommunicatorIsMade) {
  EXPECT_EQ(run(one_rank_has_no_device, world().size()).skipped, 1U);
}

void wrong(Case& c) {
  c.verify("always wrong on the last rank", [&c] {
    return Case::Checked{10, c.rank() == c.size() - 1 ? 2U : 0U};
  });
  c.measure([] {});
}

TEST_F(RunnerTest, WrongDataFailsTheCaseWithItsOwnExitCode) {
  const RunOutcome outcome = run(wrong, world().size());
  EXPECT_EQ(outcome.wrong_data, 1U);
  EXPECT_EQ(outcome.exit_code(), 6);
  if (root()) {
    EXPECT_NE(only().reason.find("2 of 10 elements wrong"), std::string::npos) << only().reason;
    EXPECT_EQ(only().verification.wrong, 2U);
    EXPECT_TRUE(finished(only()).wrong_data) << "what --resume will know of it";
  }
}

TEST_F(RunnerTest, AnEarlierRunsWrongDataKeepsItsExitCode) {
  registry = std::make_unique<Registry>();
  registry->add(Benchmark("test/one", sleep_two_ms));
  Runner runner(*session, sink, {.finished = {{0, {Status::failed, true}}}, .budget = {}});
  EXPECT_EQ(runner.run(make_plan(*registry, {}, session->context())).exit_code(), 6);
}

void out_of_memory(Case& c) {
  if (c.rank() == 0) throw OutOfMemory("8 GiB wanted");
  c.throw_if_peer_failed();
}

TEST_F(RunnerTest, OutOfMemoryIsARowAndNoFailure) {
  const RunOutcome outcome = run(out_of_memory, world().size());
  EXPECT_EQ(outcome.oom, 1U);
  if (root()) {
    EXPECT_EQ(only().status, Status::oom);
  }
}

TEST_F(RunnerTest, MoreRanksThanThereAreIsASkippedRow) {
  const RunOutcome outcome = run(sleep_two_ms, world().size() + 1);
  EXPECT_EQ(outcome.skipped, 1U);
  EXPECT_EQ(outcome.exit_code(), 4) << "nothing ran";
}

void on_a_part(Case& c) {
  EXPECT_EQ(c.size(), 1);
  c.measure([] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
}

TEST_F(RunnerTest, RanksLeftOutWaitAndTheNextCaseHasAllAgain) {
  SamplingPolicy policy;
  policy = PolicyChange{.iterations = 3}.apply(policy);
  EXPECT_EQ(run(on_a_part, 1, policy).ok, 1U) << "those left out count it too";
  EXPECT_EQ(run(sleep_two_ms, world().size(), policy).ok, 1U);
  if (root()) {
    EXPECT_EQ(sink.results.at(0).find("time")->samples.ranks, 1U);
    EXPECT_EQ(sink.results.at(1).find("time")->samples.ranks,
              static_cast<std::size_t>(world().size()));
  }
}

TEST_F(RunnerTest, TheJournalHearsOfEveryPhaseInOrder) {
  SamplingPolicy policy;
  policy = PolicyChange{.iterations = 3}.apply(policy);
  run(sleep_two_ms, world().size(), policy);
  if (!root()) return;
  EXPECT_EQ(sink.started_keys.size(), 1U);
  EXPECT_EQ(sink.phases, (std::vector<std::string>{"set up", "first call", "warm-up", "measure",
                                                   "gather", "done"}));
}

TEST_F(RunnerTest, PhasesAreKeptWithTheirTimes) {
  SamplingPolicy policy;
  policy = PolicyChange{.iterations = 5}.apply(policy);
  policy.warmup = 0;
  run(sleep_two_ms, world().size(), policy);
  if (!root()) return;
  const Table& table = sink.results.at(0).tables.at("phases");
  ASSERT_EQ(table.columns.size(), 2U);
  EXPECT_EQ(table.columns[0].name, "phase");
  EXPECT_EQ(std::get<std::vector<std::string>>(table.columns[0].values), sink.phases);
  EXPECT_EQ(table.columns[1].unit, "ns");
  const auto& t = std::get<std::vector<std::uint64_t>>(table.columns[1].values);
  EXPECT_TRUE(std::ranges::is_sorted(t));
  // Five samples of two milliseconds; they began after the phase did, and before the next one.
  EXPECT_GE(t.at(4) - t.at(3), 10'000'000U);
  for (const std::uint64_t start : sink.results[0].find("time")->samples.t0) {
    EXPECT_GE(start, t[3]);
    EXPECT_LT(start, t[4]);
  }
}

void own_steps(Case& c) {
  std::vector<std::uint64_t> begun, times;
  for (int i = 0; i < 4; ++i) {
    begun.push_back(now_ns());
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    times.push_back(now_ns() - begun.back());
  }
  c.record_durations("step_time", times, RankReduce::max);
  c.record_durations("other", times, RankReduce::max);
  c.recorder().began("step_time", begun);
  begun.pop_back();
  c.recorder().began("other", begun);
  c.recorder().began("no_such", begun);
}

TEST_F(RunnerTest, WorkThatTimesItselfSaysWhenEachIterationBegan) {
  run(own_steps, world().size());
  if (!root()) return;
  const Samples& samples = only().find("step_time")->samples;
  ASSERT_EQ(samples.t0.size(), 4U);
  const auto& phases =
      std::get<std::vector<std::uint64_t>>(only().tables.at("phases").columns.at(1).values);
  EXPECT_GE(samples.t0[0], phases.front());
  EXPECT_LE(samples.t0[3], phases.back());
  for (std::size_t i = 1; i < 4; ++i) EXPECT_GE(samples.t0[i] - samples.t0[i - 1], 2'000'000U);
  EXPECT_TRUE(only().find("other")->samples.t0.empty()) << "one too few: it is not known which";
}

void fail_in_warm_up(Case& c) {
  c.phase("warm-up");
  throw Error("no luck");
}

TEST_F(RunnerTest, PhasesOfACaseThatFailedEndWithIt) {
  run(fail_in_warm_up, world().size());
  if (!root()) return;
  EXPECT_EQ(std::get<std::vector<std::string>>(
                sink.results.at(0).tables.at("phases").columns.at(0).values),
            (std::vector<std::string>{"set up", "warm-up", "end"}));
}

/// Saves and stops at its first visit; says at its second what it found.
void stop_once(Case& c) {
  const std::string mine = std::string(static_cast<std::size_t>(c.rank()) * 1000, 'x') + "own";
  if (const auto state = c.checkpoint().saved()) {
    const bool right = state->shared == "of rank 0" && state->own == mine;
    c.recorder().verified("what was saved came back", {.checked = 1, .wrong = right ? 0U : 1U});
    return;
  }
  const CaseCheckpoint::Stoppable stoppable(c.checkpoint());
  EXPECT_FALSE(c.checkpoint().stop_requested()) << "nobody asked";
  c.checkpoint().save({c.rank() == 0 ? "of rank 0" : "of another rank", mine});
  throw StoppedEarly{};
}

TEST_F(RunnerTest, ACaseThatStoppedIsNoRowAndGoesOnLater) {
  const int ranks = std::min(2, world().size());
  const RunOutcome first = run(stop_once, ranks);
  EXPECT_TRUE(first.stopped);
  EXPECT_EQ(first.exit_code(), static_cast<int>(ExitCode::failed));
  EXPECT_TRUE(sink.results.empty());
  const RunOutcome second = run(stop_once, ranks);
  EXPECT_EQ(second.ok, 1U);
  EXPECT_EQ(sink.results.size(), root() ? 1U : 0U);
}

}  // namespace
}  // namespace scalemark
