// SPDX-License-Identifier: Apache-2.0
// Tensors on the CPU keep their pages while a scope lives, and are counted.
#include "common/torch/cpu_memory.hpp"

#include <cstdint>
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

namespace scalemark::torch_support {
namespace {

constexpr std::int64_t kLarge = (std::int64_t{48} << 20) + 4096 + 5;

std::int64_t page_faults(const std::function<void()>& body) {
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  body();
  getrusage(RUSAGE_SELF, &after);
  return after.ru_minflt - before.ru_minflt;
}

void use(std::int64_t bytes) { at::empty({bytes}, at::kByte).fill_(1); }

/// Bytes of this process in memory.
std::int64_t resident() {
  std::int64_t total = 0, pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  EXPECT_EQ(std::fscanf(file, "%ld %ld", &total, &pages), 2);
  std::fclose(file);
  return pages * sysconf(_SC_PAGESIZE);
}

TEST(CpuMemory, PagesStayWhileTheScopeLivesAndGoBackAtItsEnd) {
  const std::int64_t before = resident();
  {
    const CpuMemoryScope scope;
    use(kLarge);
    EXPECT_LT(page_faults([] {
                for (int i = 0; i < 8; ++i) use(kLarge);
              }),
              100);
    EXPECT_GT(resident(), before + kLarge / 2);
  }
  EXPECT_LT(resident(), before + kLarge / 2);
}

TEST(CpuMemory, CountsWhatWasAskedFor) {
  const CpuMemoryScope scope;
  {
    const at::Tensor a = at::empty({1000}, at::kByte);
    const at::Tensor b = at::empty({kLarge}, at::kByte);
    EXPECT_EQ(cpu_memory().in_use, 1000U + kLarge);
  }
  const at::Tensor c = at::empty({3}, at::kDouble);
  EXPECT_EQ(cpu_memory().in_use, 24U);
  EXPECT_EQ(cpu_memory().peak, 1000U + kLarge);
}

TEST(CpuMemory, EverySizeIsAlignedAndWhole) {
  const CpuMemoryScope scope;
  std::vector<at::Tensor> tensors;
  for (std::int64_t bytes = 1; bytes < (1 << 23); bytes += 1 + bytes / 3) {
    tensors.push_back(at::empty({bytes}, at::kByte));
    tensors.back().fill_(static_cast<std::int64_t>(tensors.size()));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensors.back().data_ptr()) % 64, 0U);
  }
  // None was written over by another.
  for (std::size_t i = 0; i < tensors.size(); ++i)
    EXPECT_TRUE(tensors[i].eq(static_cast<std::int64_t>(i + 1)).all().item<bool>()) << i;
  const void* place = tensors[10].data_ptr();
  const std::int64_t bytes = tensors[10].numel();
  tensors[10].reset();
  EXPECT_EQ(at::empty({bytes}, at::kByte).data_ptr(), place) << "what was freed is taken again";
}

TEST(CpuMemory, TensorsMayOutliveTheScopeAndComeFromBefore) {
  at::Tensor before = at::ones({1 << 20}), inside;
  {
    const CpuMemoryScope scope;
    inside = at::ones({1 << 20});
    before.reset();
  }
  EXPECT_EQ(inside.sum().item<float>(), 1 << 20);
  inside.reset();
  const CpuMemoryScope next;
  EXPECT_EQ(cpu_memory().in_use, 0U);
}

TEST(CpuMemory, ThreadsShareIt) {
  const CpuMemoryScope scope;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (std::int64_t i = 0; i < 2000; ++i) {
        const at::Tensor a = at::full({1 + i % 97}, t, at::kInt);
        ASSERT_TRUE(a.eq(t).all().item<bool>());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cpu_memory().in_use, 0U);
}

TEST(CpuMemory, WhatCannotBeHadIsToldAndTheRestGoesOn) {
  const CpuMemoryScope scope;
  EXPECT_THROW(at::empty({std::int64_t{1} << 52}, at::kDouble), c10::OutOfMemoryError);
  use(kLarge);
}

}  // namespace
}  // namespace scalemark::torch_support
