// SPDX-License-Identifier: Apache-2.0
// What is made of the times of launches, over a queue that takes known times; 1 and 2 ranks.
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include <gtest/gtest.h>

#include "suites/micro/launch/launch_work.hpp"
#include "tests/support/run_case.hpp"

namespace scalemark::micro {
namespace {

constexpr std::uint64_t kCallNs = 3000, kPollNs = 100;

class FakeQueue final : public device::LaunchQueue {
 public:
  FakeQueue(int streams, int nodes) : streams_(streams), kernels_(std::max(nodes, 1)) {}

  int streams() const override { return streams_; }
  void launch(int stream) override {
    EXPECT_TRUE(stream >= 0 && stream < streams_) << stream;
    ++launched[stream];
    most_waiting = std::max(most_waiting, ++waiting_);
    now += kCallNs;
  }
  void synchronize() override {
    EXPECT_FALSE(blocked_) << "would wait for ever";
    waiting_ = 0;
    now += 50'000;
  }
  void launch_marking() override {
    EXPECT_EQ(waiting_, 0) << "behind other launches";
    EXPECT_EQ(polls_, 0) << "the mark of the one before is still there";
    now += kCallNs;
  }
  void clear_mark() override { polls_ = 0; }
  bool is_marked() const override {
    now += poll_ns;
    return ++polls_ > unseen_polls;
  }
  double answer_time() override { return 1.5e-6; }
  void block() override {
    EXPECT_EQ(waiting_, 0) << "something is under way";
    blocked_ = true;
  }
  std::optional<double> release_and_time() override {
    EXPECT_TRUE(blocked_);
    blocked_ = false;
    const int behind = std::exchange(waiting_, 0);
    now += 700;
    if (gives_up > 0) {
      --gives_up;
      return std::nullopt;
    }
    return behind * kernels_ * 2e-6;
  }

  mutable std::uint64_t now = 0;
  std::map<int, int> launched;  ///< by stream
  int most_waiting = 0, gives_up = 0, unseen_polls = 3;
  std::uint64_t poll_ns = kPollNs;

 private:
  int streams_, kernels_, waiting_ = 0;
  mutable int polls_ = 0;
  bool blocked_ = false;
};

LaunchWork work_on(FakeQueue& queue, int nodes) {
  return {queue, nodes, [&queue] { return queue.now; }};
}

TEST(LaunchWork, CallsAreTimedWithoutTheWait) {
  const std::map<int, int> calls = {{0, 32}, {1, 32}, {10, 3}, {100, 1}, {1000, 1}};
  for (const auto& [nodes, count] : calls) {
    FakeQueue queue(1, nodes);
    LaunchWork work = work_on(queue, nodes);
    EXPECT_EQ(work.calls(), count) << nodes;
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(work.time_calls(), static_cast<std::uint64_t>(count) * kCallNs);
    EXPECT_EQ(queue.most_waiting, count) << "each sample is waited for";
  }
}

TEST(LaunchWork, StreamsTakeTurns) {
  FakeQueue queue(3, 0);
  LaunchWork work = work_on(queue, 0);
  work.time_calls();
  EXPECT_EQ(queue.launched, (std::map<int, int>{{0, 11}, {1, 11}, {2, 10}}));
  work.time_calls();
  EXPECT_EQ(queue.launched, (std::map<int, int>{{0, 22}, {1, 21}, {2, 21}}))
      << "it goes on where the last sample ended";
  FakeQueue many(16, 1000);
  work_on(many, 1000).time_calls();
  EXPECT_EQ(many.launched.size(), 16U) << "one in each at least";
}

TEST(LaunchWork, TheStartIsWhenTheMarkIsSeen) {
  FakeQueue queue(1, 0);
  LaunchWork work = work_on(queue, 0);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(work.time_start(), kCallNs + 4 * kPollNs);
}

TEST(LaunchWork, AKernelThatNeverStartsIsAnError) {
  FakeQueue queue(1, 0);
  queue.unseen_polls = 1000;
  queue.poll_ns = 1'000'000'000;
  LaunchWork work = work_on(queue, 0);
  EXPECT_THROW(work.time_start(), Error);
}

TEST(LaunchWork, TheQueueIsFullBeforeItBegins) {
  const std::map<int, int> queued = {{0, 128}, {1, 128}, {10, 12}, {100, 1}, {1000, 1}};
  for (const auto& [nodes, count] : queued) {
    FakeQueue queue(1, nodes);
    LaunchWork work = work_on(queue, nodes);
    EXPECT_EQ(work.queued(), count) << nodes;
    EXPECT_EQ(work.time_queue(), static_cast<std::uint64_t>(count * std::max(nodes, 1)) * 2000);
  }
}

TEST(LaunchWork, TimesWhereTheBlockingKernelGaveUpAreDiscardedAndCounted) {
  FakeQueue queue(1, 0);
  LaunchWork work = work_on(queue, 0);
  queue.gives_up = 9;
  EXPECT_EQ(work.time_valid_queue(), 128U * 2000);
  EXPECT_EQ(work.discarded(), 9);
  queue.gives_up = 1000;
  EXPECT_THROW(work.time_valid_queue(), Error);
  EXPECT_EQ(work.discarded(), 19) << "not for ever";
  queue.gives_up = 2;
  EXPECT_TRUE(work.queue_holds());
  queue.gives_up = 3;
  EXPECT_FALSE(work.queue_holds());
  EXPECT_EQ(work.discarded(), 24);
}

struct Planned {
  int streams = 1, nodes = 0;
  int gives_up = 0;  ///< on the last rank
} planned;

void measure_fake(Case& c) {
  FakeQueue queue(planned.streams, planned.nodes);
  if (c.rank() == c.size() - 1) queue.gives_up = planned.gives_up;
  measure_launches(c, queue, planned.nodes);
}

CaseResult measured(Planned plan) {
  planned = plan;
  SessionOptions options;
  options.placement = hardware::Policy::none;
  Session session(test::world(), options);
  Registry registry;
  registry.add(Benchmark("test/launches", measure_fake)).rank_local();
  PlanRequest request;
  request.policy = PolicyChange{.iterations = 5}.apply(request.policy);
  test::KeepingSink sink;
  Runner(session, sink, {}).run(make_plan(registry, request, session.context()));
  return test::root() ? sink.results.at(0) : CaseResult();
}

TEST(Launches, MetricsArePerLaunchAndPerNode) {
  const CaseResult result = measured({.streams = 2, .nodes = 10, .gives_up = 1});
  if (!test::root()) return;
  ASSERT_EQ(result.status, Status::ok) << result.reason;
  EXPECT_EQ(result.primary_metric, "latency");
  const auto inner = [&](const char* name) { return result.find(name)->samples.inner; };
  EXPECT_EQ(inner("latency"), 2U) << "one in each stream";
  EXPECT_EQ(inner("launch_time"), 3U);
  EXPECT_EQ(inner("start_latency"), 1U);
  EXPECT_EQ(inner("queue_time"), 12U);
  EXPECT_DOUBLE_EQ(result.find("queue_time")->samples.value(0, 4), 10 * 2e-6);
  const Metric& rate = *result.find("queued_node_rate");
  EXPECT_EQ(rate.source, "queue_time");
  EXPECT_EQ(rate.numerator, 10);
  EXPECT_EQ(result.find("node_rate")->source, "latency");
  EXPECT_EQ(result.find("node_rate")->numerator, 10);
  EXPECT_EQ(result.find("launch_rate")->numerator, 1);
  EXPECT_EQ(to_text(result.facts.at("answer_time")), "1.5e-06");
  const int discarded = test::world().size() == 1 ? 1 : 0;  // the root's
  EXPECT_EQ(to_text(result.facts.at("discarded_samples")), std::to_string(discarded));
}

TEST(Launches, PlainOnesHaveNoNodes) {
  const CaseResult result = measured({});
  if (!test::root()) return;
  EXPECT_EQ(result.status, Status::ok) << result.reason;
  EXPECT_EQ(result.find("node_rate"), nullptr);
  EXPECT_EQ(result.find("queued_node_rate"), nullptr);
  EXPECT_DOUBLE_EQ(result.find("queue_time")->samples.value(0, 0), 2e-6);
}

TEST(Launches, AQueueThatIsTooShortOnSomeRankIsAFactOfTheRow) {
  const CaseResult result = measured({.gives_up = std::numeric_limits<int>::max()});
  if (!test::root()) return;
  EXPECT_EQ(result.status, Status::ok) << result.reason;
  EXPECT_EQ(result.find("queue_time"), nullptr);
  EXPECT_NE(result.find("start_latency"), nullptr);
  EXPECT_EQ(to_text(result.facts.at("queue_time_missing")),
            "the launch queue is too short for these launches");
}

}  // namespace
}  // namespace scalemark::micro
