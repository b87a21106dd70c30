// SPDX-License-Identifier: Apache-2.0
// Profiles on pretend GPUs: what tests of one GPU cannot show.
#include <cstdlib>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "common/device/device.hpp"
#include "common/profile/profile.hpp"

namespace scalemark::profile {
namespace {

constexpr std::size_t kBytes = 12345;

TEST(SoftwareCupti, WhatMayNotBeWatchedIsAProblemAndNoError) {
  const auto gpu = device::make_cuda_device(0);
  const auto stream = gpu->make_stream();
  const device::Buffer from = gpu->allocate(kBytes, device::MemoryKind::device);
  const device::Buffer to = gpu->allocate(kBytes, device::MemoryKind::device);
  ASSERT_EQ(why_not(), "");
  setenv("SOFTWARE_GPU_NO_PROFILES", "1", 1);
  const auto denied = make_profile();
  denied->start();
  gpu->copy(to.data(), from.data(), kBytes, *stream);
  stream->synchronize();  // what is under way at the start of the next profile would count there
  denied->stop();
  unsetenv("SOFTWARE_GPU_NO_PROFILES");
  EXPECT_NE(denied->problem().find("CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"), std::string::npos)
      << denied->problem();
  EXPECT_EQ(denied->totals().all_copies.count, 0U);

  const auto allowed = make_profile();
  allowed->start();
  gpu->copy(to.data(), from.data(), kBytes, *stream);
  allowed->stop();
  EXPECT_EQ(allowed->problem(), "");
  EXPECT_EQ(allowed->totals().all_copies.count, 1U);
}

TEST(SoftwareCupti, CopiesBetweenDevicesHaveTheirOwnDirection) {
  const auto first = device::make_cuda_device(0), second = device::make_cuda_device(1);
  const auto stream = first->make_stream();
  const device::Buffer here = first->allocate(kBytes, device::MemoryKind::device);
  const device::Buffer there = second->allocate(kBytes, device::MemoryKind::device);
  const auto profile = make_profile();
  profile->start();
  first->copy(there.data(), here.data(), kBytes, *stream);
  stream->synchronize();  // stop() waits for the thread's current device, which is the second
  profile->stop();
  ASSERT_EQ(profile->problem(), "");
  const ActivityTotals totals = profile->totals();
  EXPECT_EQ(totals.copies.at(static_cast<std::size_t>(Direction::ptop)).bytes, kBytes);
  EXPECT_EQ(totals.copies.at(static_cast<std::size_t>(Direction::dtod)).count, 0U);
}

TEST(SoftwareCupti, WhatAProgramDoesWithoutAProfileIsNotCounted) {
  const auto gpu = device::make_cuda_device(0);
  const auto stream = gpu->make_stream();
  const device::Buffer data = gpu->allocate(kBytes, device::MemoryKind::pinned);
  const device::Buffer there = gpu->allocate(kBytes, device::MemoryKind::device);
  const auto profile = make_profile();
  gpu->copy(there.data(), data.data(), kBytes, *stream);
  stream->synchronize();
  profile->start();
  profile->stop();
  gpu->copy(there.data(), data.data(), kBytes, *stream);
  stream->synchronize();
  EXPECT_EQ(profile->totals().all_copies.count, 0U);
  EXPECT_FALSE(profile->totals().calls.contains("cudaMemcpyAsync"));
}

}  // namespace
}  // namespace scalemark::profile
