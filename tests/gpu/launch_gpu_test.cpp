// SPDX-License-Identifier: Apache-2.0
// One GPU: blocked streams wait, blocking kernels give up, launches, graphs and events work.
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/device/blocker.hpp"
#include "common/device/device.hpp"
#include "common/device/event_calls.hpp"
#include "common/device/launch.hpp"
#include "common/device/memory_cycle.hpp"

namespace scalemark::device {
namespace {

/// Long enough for any kernel to run.
void wait_a_while() { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }

class Launches : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (cuda_device_count(&why) == 0) GTEST_SKIP() << why;
    gpu_ = make_cuda_device(0);
  }
  std::unique_ptr<Device> gpu_;
};

TEST_F(Launches, ABlockedStreamHoldsBackWhatIsBehind) {
  const auto stream = gpu_->make_stream();
  // Not from host to host: such a copy waits for the stream.
  const Buffer from = gpu_->allocate(sizeof(int), MemoryKind::device),
               to = gpu_->allocate(sizeof(int), MemoryKind::pinned);
  const auto blocker = make_blocker(*gpu_);
  for (int round = 1; round <= 3; ++round) {
    gpu_->copy(from.data(), &round, sizeof(int), *stream);
    stream->synchronize();
    blocker->block(*stream);
    gpu_->copy(to.data(), from.data(), sizeof(int), *stream);
    wait_a_while();
    EXPECT_EQ(*to.as<volatile int>(), round - 1);
    blocker->release();
    stream->synchronize();
    EXPECT_EQ(*to.as<volatile int>(), round);
    EXPECT_FALSE(blocker->gave_up());
  }
}

TEST_F(Launches, ABlockerGivesUpAndSaysSo) {
  const auto stream = gpu_->make_stream();
  const auto blocker = make_blocker(*gpu_, 0.1);
  blocker->block(*stream);
  stream->synchronize();  // nobody releases it
  EXPECT_TRUE(blocker->gave_up());
  blocker->release();
  blocker->block(*stream);
  blocker->release();
  stream->synchronize();
  EXPECT_FALSE(blocker->gave_up()) << "the one before does not count";
}

TEST_F(Launches, AMarkIsSetByPlainLaunchesAndGraphs) {
  // Graphs first: a kernel must be loaded before it is captured.
  for (const int nodes : {10, 0, 1, 1000}) {
    for (const int streams : {1, 3}) {
      const auto queue = make_launch_queue(*gpu_, streams, nodes);
      EXPECT_EQ(queue->streams(), streams);
      EXPECT_TRUE(queue->is_marked()) << "the launch that brought it to the device";
      queue->clear_mark();
      for (int i = 0; i < streams; ++i) queue->launch(i);
      queue->synchronize();
      EXPECT_FALSE(queue->is_marked()) << "launches do nothing";
      queue->launch_marking();
      queue->synchronize();
      EXPECT_TRUE(queue->is_marked()) << nodes;
    }
  }
}

TEST_F(Launches, AMarkWaitsBehindABlockedStream) {
  const auto queue = make_launch_queue(*gpu_, 2, 0, 5.0);
  queue->clear_mark();
  queue->block();
  queue->launch_marking();
  queue->launch(1);
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 10; ++i) wait_a_while();  // long compared with a stall of a busy host
  EXPECT_FALSE(queue->is_marked());
  const std::chrono::duration<double> held = std::chrono::steady_clock::now() - began;
  const auto seconds = queue->release_and_time();
  ASSERT_TRUE(seconds.has_value());
  EXPECT_TRUE(queue->is_marked());
  EXPECT_GT(*seconds, 0);
  EXPECT_LT(*seconds, held.count()) << "from the release, not from the launch";
}

TEST_F(Launches, EachStreamIsBlocked) {
  for (const int nodes : {0, 10}) {
    for (const int stream : {0, 1}) {
      const auto queue = make_launch_queue(*gpu_, 2, nodes, 0.3);
      queue->block();
      // More than a blocked stream takes (1,024): the host waits until the blocker gives up.
      for (int i = 0; i < 5000; ++i) queue->launch(stream);
      EXPECT_FALSE(queue->release_and_time().has_value())
          << "launches ran before the release, in stream " << stream;
    }
  }
}

TEST_F(Launches, EachStreamHasAQueueOfItsOwn) {
  for (const int nodes : {0, 10}) {
    const auto queue = make_launch_queue(*gpu_, 2, nodes, 5.0);
    queue->block();
    // Together more than one blocked stream takes (1,024).
    for (const int stream : {0, 1}) {
      for (int i = 0; i < 700; ++i) queue->launch(stream);
    }
    EXPECT_TRUE(queue->release_and_time().has_value())
        << "the host waited until the blocker gave up";
  }
}

TEST_F(Launches, ATimeBehindAKernelThatGaveUpIsNone) {
  const auto queue = make_launch_queue(*gpu_, 2, 0, 0.1);
  queue->block();
  queue->launch(0);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_FALSE(queue->release_and_time().has_value());
  queue->block();
  queue->launch(0);
  EXPECT_TRUE(queue->release_and_time().has_value()) << "and it goes on";
}

TEST_F(Launches, TheDeviceAnswers) {
  const auto queue = make_launch_queue(*gpu_, 1, 0);
  for (int i = 0; i < 2; ++i) EXPECT_GT(queue->answer_time(), 0);
  queue->clear_mark();
  queue->launch_marking();
  queue->synchronize();
  EXPECT_TRUE(queue->is_marked());
}

TEST_F(Launches, CallsOnEvents) {
  for (const bool timing : {true, false}) {
    const auto calls = make_event_calls(*gpu_, timing);
    for (int i = 0; i < 3; ++i) {
      calls->create();
      calls->record();
    }
    calls->synchronize();
    calls->synchronize_stream();
    if (timing) {
      calls->elapsed();
    } else {
      EXPECT_THROW(calls->elapsed(), Error);
    }
    calls->destroy();
    calls->synchronize_device();
  }
}

TEST_F(Launches, MemoryIsGotAndGivenBack) {
  const std::size_t bytes = (std::size_t{1} << 20) + 1;
  for (const MemoryKind kind :
       {MemoryKind::pinned, MemoryKind::registered, MemoryKind::write_combined, MemoryKind::managed,
        MemoryKind::device}) {
    if (!gpu_->why_not(kind).empty()) continue;
    const auto cycle = make_cuda_memory_cycle(*gpu_, kind, bytes);
    for (int i = 0; i < 3; ++i) {
      cycle->get();
      ASSERT_NE(cycle->data(), nullptr);
      EXPECT_EQ(gpu_->is_device_memory(cycle->data()), kind == MemoryKind::device);
      if (kind != MemoryKind::device) static_cast<volatile char*>(cycle->data())[bytes - 1] = 1;
      cycle->give_back();
    }
    cycle->get();  // the end gives it back
  }
  gpu_->synchronize();
}

TEST_F(Launches, ACycleKeepsNoDeviceMemory) {
  // Blocks of this size are the allocator's own: smaller ones share one that it may keep.
  const auto cycle = make_cuda_memory_cycle(*gpu_, MemoryKind::device, std::size_t{64} << 20);
  const std::size_t before = gpu_->free_memory();
  cycle->get();
  EXPECT_LT(gpu_->free_memory(), before);
  cycle->give_back();
  EXPECT_EQ(gpu_->free_memory(), before);
}

}  // namespace
}  // namespace scalemark::device
