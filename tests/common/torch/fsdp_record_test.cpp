// SPDX-License-Identifier: Apache-2.0
// Moments of collectives that take known times.
#include "common/torch/parallel/fsdp_record.hpp"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>
#include <torch/types.h>

#include "common/base/clock.hpp"

namespace scalemark::torch_support {
namespace {

constexpr auto kWait = std::chrono::milliseconds(30), kCompute = std::chrono::milliseconds(20);

double seconds(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

class SlowWork : public c10d::Work {
 public:
  bool wait(std::chrono::milliseconds /*timeout*/) override {
    std::this_thread::sleep_for(kWait);
    return true;
  }
};

Started gather_of(std::int64_t part, std::int64_t ranks) {
  return {c10::make_intrusive<SlowWork>(), torch::zeros(part), torch::zeros(part * ranks)};
}

Started reduction_of(std::int64_t part, std::int64_t ranks) {
  return {c10::make_intrusive<SlowWork>(), torch::zeros(part * ranks), torch::zeros(part)};
}

void compute() { std::this_thread::sleep_for(kCompute); }

/// A gather that is needed at once, one that computation hides, and a reduction.
void step(FsdpRecord& record) {
  const Started first = record.start(ShardCollective::gather, [] { return gather_of(10, 4); }),
                second = record.start(ShardCollective::gather, [] { return gather_of(5, 4); });
  record.wait(first);
  compute();
  record.wait(second);
  const Started third =
      record.start(ShardCollective::reduction, [] { return reduction_of(10, 4); });
  compute();
  record.wait(third);
}

TEST(FsdpRecord, CountsTrafficAndWaits) {
  FsdpRecord record(torch::kCPU, 4);
  step(record);
  const StepCommunication taken = record.take_step();
  EXPECT_EQ(taken.traffic, (FsdpTraffic{.gathers = 2,
                                        .gathered_bytes = 4 * (30 + 15),
                                        .reductions = 1,
                                        .reduced_bytes = 4 * 30}));
  EXPECT_GE(static_cast<double>(taken.exposed) * 1e-9, 3 * seconds(kWait));
  EXPECT_EQ(record.take_step().traffic, FsdpTraffic{});
}

TEST(FsdpRecord, MomentsCountComputingWithoutWaits) {
  FsdpRecord record(torch::kCPU, 4);
  const std::uint64_t from = now_ns();
  step(record);
  const double took = static_cast<double>(now_ns() - from) * 1e-9,
               waited = static_cast<double>(record.take_step().exposed) * 1e-9;
  const std::vector<ShardMessage> messages = record.messages();
  ASSERT_EQ(messages.size(), 3U);
  EXPECT_EQ(messages[0].bytes, 4 * 40);
  EXPECT_EQ(messages[1].bytes, 4 * 20);
  EXPECT_EQ(messages[2].kind, ShardCollective::reduction);
  EXPECT_EQ(messages[2].bytes, 4 * 40);
  EXPECT_EQ(messages[0].started, 0);
  EXPECT_LT(messages[1].started, messages[1].needed - seconds(kCompute) + 1e-9);
  EXPECT_GE(messages[2].started, messages[1].needed);
  EXPECT_GE(messages[2].needed, messages[2].started + seconds(kCompute));
  EXPECT_LE(messages[2].needed, took - waited) << "waits count as computing";
}

// Of a step with other collectives, for instance of a last, smaller batch, nothing is taken.
TEST(FsdpRecord, TakesMomentsOfStepsThatAreAlike) {
  FsdpRecord record(torch::kCPU, 4);
  step(record);
  record.take_step();
  const double needed = record.messages()[1].needed;
  record.wait(record.start(ShardCollective::gather, [] { return gather_of(1, 4); }));
  record.take_step();
  ASSERT_EQ(record.messages().size(), 3U);
  EXPECT_EQ(record.messages()[1].needed, needed);
}

TEST(FsdpRecord, ForgetsWhatIsOutsideOfSteps) {
  FsdpRecord record(torch::kCPU, 4);
  record.wait(record.start(ShardCollective::gather, [] { return gather_of(1, 4); }));
  record.discard();
  EXPECT_EQ(record.take_step().traffic, FsdpTraffic{});
  EXPECT_TRUE(record.messages().empty());
  step(record);
  record.take_step();
  EXPECT_EQ(record.messages().size(), 3U);
}

}  // namespace
}  // namespace scalemark::torch_support
