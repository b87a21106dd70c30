// SPDX-License-Identifier: Apache-2.0
// What CUPTI counts of copies whose bytes and numbers are known.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "common/device/device.hpp"
#include "common/profile/profile.hpp"

namespace scalemark::profile {
namespace {

using device::Buffer;
using device::MemoryKind;

constexpr std::size_t kBytes = (std::size_t{1} << 20) + 17;

class OnAGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (device::cuda_device_count(&why) == 0) GTEST_SKIP() << why;
    if (const std::string reason = why_not(); !reason.empty()) GTEST_SKIP() << reason;
    gpu_ = device::make_cuda_device(0);
    stream_ = gpu_->make_stream();
    pinned_ = gpu_->allocate(kBytes, MemoryKind::pinned);
    there_ = gpu_->allocate(kBytes, MemoryKind::device);
    back_ = gpu_->allocate(kBytes, MemoryKind::device);
    gpu_->synchronize();
    profile_ = make_profile();
  }

  /// To the GPU 3 times, within it twice, from it once; 6 calls of cudaMemcpyAsync.
  void copy() {
    for (int i = 0; i < 3; ++i) gpu_->copy(there_.data(), pinned_.data(), kBytes, *stream_);
    for (int i = 0; i < 2; ++i) gpu_->copy(back_.data(), there_.data(), kBytes - 1, *stream_);
    gpu_->copy(pinned_.data(), back_.data(), 4096, *stream_);
  }

  /// Whether the machine lets us watch; what else goes wrong is a failure.
  bool may_watch() const {
    const std::string problem = profile_->problem();
    const bool forbidden = problem.find("PRIVILEGES") != std::string::npos;
    EXPECT_TRUE(problem.empty() || forbidden) << problem;
    return problem.empty();
  }

  void expect_copies(const ActivityTotals& totals, std::uint64_t times) const {
    const auto of = [&](Direction direction) {
      return totals.copies.at(static_cast<std::size_t>(direction));
    };
    EXPECT_EQ(of(Direction::htod).count, 3 * times);
    EXPECT_EQ(of(Direction::htod).bytes, 3 * times * kBytes);
    EXPECT_EQ(of(Direction::dtod).count, 2 * times);
    EXPECT_EQ(of(Direction::dtod).bytes, 2 * times * (kBytes - 1));
    EXPECT_EQ(of(Direction::dtoh).count, times);
    EXPECT_EQ(of(Direction::dtoh).bytes, 4096 * times);
    EXPECT_EQ(totals.all_copies.count, 6 * times);
    ASSERT_TRUE(totals.calls.contains("cudaMemcpyAsync"));
    EXPECT_EQ(totals.calls.at("cudaMemcpyAsync").count, 6 * times);
    EXPECT_GT(of(Direction::htod).time, 0U);
    EXPECT_LE(totals.all_copies.covered, totals.watched);
    EXPECT_LE(totals.all_calls.covered, totals.watched);
    EXPECT_EQ(totals.incomplete, 0U);
    EXPECT_EQ(totals.late, 0U);
    EXPECT_EQ(profile_->lost(), 0U);
  }

  std::unique_ptr<device::Device> gpu_;
  std::unique_ptr<device::Stream> stream_;
  Buffer pinned_, there_, back_;
  std::unique_ptr<Profile> profile_;
};

// stop() waits for what is under way.
TEST_F(OnAGpu, CopiesAreCountedToTheByte) {
  profile_->start();
  copy();
  profile_->stop();
  if (!may_watch()) GTEST_SKIP() << profile_->problem();
  expect_copies(profile_->totals(), 1);
}

TEST_F(OnAGpu, OnlyWhatLiesBetweenStartAndStopCounts) {
  for (int i = 0; i < 3; ++i) {
    copy();
    gpu_->synchronize();
    profile_->start();
    copy();
    profile_->stop();
  }
  if (!may_watch()) GTEST_SKIP() << profile_->problem();
  expect_copies(profile_->totals(), 3);
  const std::uint64_t watched = profile_->totals().watched;
  copy();
  gpu_->synchronize();
  EXPECT_EQ(profile_->totals().watched, watched);
  expect_copies(profile_->totals(), 3);
}

// More calls than a buffer of records holds.
TEST_F(OnAGpu, ManyCallsAreAllCounted) {
  profile_->start();
  for (int i = 0; i < 10000; ++i) copy();
  profile_->stop();
  if (!may_watch()) GTEST_SKIP() << profile_->problem();
  expect_copies(profile_->totals(), 10000);
}

// More starts than there are buffers for records (kMaxBuffers).
TEST_F(OnAGpu, BuffersAreUsedAgain) {
  for (int i = 0; i < 300; ++i) {
    profile_->start();
    copy();
    profile_->stop();
  }
  if (!may_watch()) GTEST_SKIP() << profile_->problem();
  expect_copies(profile_->totals(), 300);
}

TEST_F(OnAGpu, OneWatchesAtATime) {
  profile_->start();
  if (!may_watch()) GTEST_SKIP() << profile_->problem();
  const auto second = make_profile();
  EXPECT_THROW(second->start(), std::exception);
  profile_->stop();
  second->start();
  copy();
  second->stop();
  EXPECT_EQ(profile_->totals().all_copies.count, 0U);
  EXPECT_EQ(second->totals().all_copies.count, 6U);
}

}  // namespace
}  // namespace scalemark::profile
