// SPDX-License-Identifier: Apache-2.0
// Which calls on events are timed, and in what state the events are then.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "suites/micro/launch/event_work.hpp"
#include "tests/support/run_case.hpp"

namespace scalemark::micro {
namespace {

constexpr int kSamples = 5, kWarmup = 2, kCallsASample = 32;

class FakeCalls final : public device::EventCalls {
 public:
  void create() override {
    ++creates;
    pile_.push_back(State::fresh);
  }
  void destroy() override {
    ++destroys;
    ASSERT_FALSE(pile_.empty());
    reached_destroys += pile_.back() == State::reached ? 1 : 0;
    pile_.pop_back();
  }
  void record() override {
    ++records;
    ASSERT_FALSE(pile_.empty());
    pile_.back() = State::recorded;
    most_enqueued = std::max(most_enqueued, ++enqueued_);
  }
  void synchronize() override {
    ++synchronizes;
    EXPECT_EQ(pile_.back(), State::reached) << "there would be something to wait for";
  }
  void elapsed() override {
    ++queries;
    ASSERT_GE(pile_.size(), 2U);
    EXPECT_EQ(pile_[pile_.size() - 2], State::reached);
    EXPECT_EQ(pile_.back(), State::reached);
  }
  void synchronize_stream() override {
    ++stream_waits;
    idle_waits += enqueued_ == 0 ? 1 : 0;
    enqueued_ = 0;
    for (State& state : pile_) state = state == State::recorded ? State::reached : state;
  }
  void synchronize_device() override {
    ++device_waits;
    EXPECT_EQ(enqueued_, 0);
  }

  int creates = 0, destroys = 0, reached_destroys = 0, records = 0, synchronizes = 0, queries = 0;
  int stream_waits = 0, idle_waits = 0, device_waits = 0, most_enqueued = 0;

 private:
  enum class State { fresh, recorded, reached };
  std::vector<State> pile_;
  int enqueued_ = 0;
};

std::string operation;
FakeCalls* seen = nullptr;

void measure_fake_events(Case& c) { measure_event_calls(c, *seen, operation); }

CaseResult measured(const std::string& name, FakeCalls& calls) {
  operation = name;
  seen = &calls;
  SessionOptions options;
  options.placement = hardware::Policy::none;
  Session session(test::world(), options);
  Registry registry;
  registry.add(Benchmark("test/events", measure_fake_events)).rank_local();
  PlanRequest request;
  request.policy = PolicyChange{.iterations = kSamples}.apply(request.policy);
  request.policy.warmup = kWarmup;
  test::KeepingSink sink;
  Runner(session, sink, {}).run(make_plan(registry, request, session.context()));
  return sink.results.at(0);
}

constexpr int kTimed = 1 + kCallsASample * (kWarmup + kSamples);

void expect_steps(const CaseResult& result) {
  EXPECT_EQ(result.status, Status::ok) << result.reason;
  EXPECT_EQ(result.find("time")->samples.inner, static_cast<std::uint64_t>(kCallsASample));
  EXPECT_EQ(result.find("time")->samples.iterations, static_cast<std::size_t>(kSamples));
  EXPECT_EQ(result.find("first_call")->samples.inner, 1U);
}

TEST(EventWork, CreatesAndTakesThemAwayAgain) {
  FakeCalls calls;
  expect_steps(measured("create", calls));
  EXPECT_EQ(calls.creates, kTimed);
  EXPECT_EQ(calls.destroys, kTimed) << "none is left";
}

TEST(EventWork, DestroysEventsThatWereReached) {
  FakeCalls calls;
  expect_steps(measured("destroy", calls));
  EXPECT_EQ(calls.destroys, kTimed);
  EXPECT_EQ(calls.reached_destroys, kTimed);
  EXPECT_EQ(calls.creates, kTimed);
}

TEST(EventWork, RecordsFewBetweenTwoWaits) {
  FakeCalls calls;
  expect_steps(measured("record", calls));
  EXPECT_EQ(calls.records, kTimed);
  EXPECT_EQ(calls.most_enqueued, kCallsASample);
  EXPECT_EQ(calls.creates, 1);
}

TEST(EventWork, WaitsForWhatIsDone) {
  const auto timed = [](const std::string& name, int FakeCalls::*count) {
    FakeCalls calls;
    const CaseResult result = measured(name, calls);
    EXPECT_EQ(result.status, Status::ok) << result.reason;
    EXPECT_GE(calls.*count, 1 + kWarmup + kSamples) << name;
    EXPECT_EQ(calls.creates, 2);
    EXPECT_EQ(calls.records, 2) << "and nothing else is under way";
  };
  timed("synchronize", &FakeCalls::synchronizes);
  timed("elapsed", &FakeCalls::queries);
  timed("stream_synchronize", &FakeCalls::idle_waits);
  timed("device_synchronize", &FakeCalls::device_waits);
}

TEST(EventWork, EveryOperationIsMeasured) {
  for (const std::string& name : event_operations()) {
    FakeCalls calls;
    const CaseResult result = measured(name, calls);
    EXPECT_EQ(result.primary_metric, "time") << name;
    EXPECT_TRUE(result.facts.contains("peak_missing")) << name;
  }
}

}  // namespace
}  // namespace scalemark::micro
