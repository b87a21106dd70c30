// SPDX-License-Identifier: Apache-2.0
// The kernels' threads on the host, one after the other: every element once, whatever the length,
// the number of threads and the alignment.
#include "common/device/cuda/kernel_threads.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace scalemark::device::kernels {
namespace {

constexpr std::size_t kLengths[] = {0, 1, 3, 4, 5, 16, 17, 63, 64, 65, 127, 128, 1000};
constexpr std::size_t kThreads[] = {1, 3, 7, 64};

template <typename Do>
void for_each_thread(std::size_t threads, Do what) {
  for (std::size_t i = 0; i < threads; ++i) what(Thread{i, threads});
}

TEST(KernelThreads, CopyEachElementAndNoMore) {
  for (const std::size_t count : kLengths) {
    for (const std::size_t threads : kThreads) {
      std::vector<int> from(count), to(count + 1, -1);
      for (std::size_t i = 0; i < count; ++i) from[i] = static_cast<int>(i);
      for_each_thread(threads,
                      [&](Thread one) { copy_thread(one, to.data(), from.data(), count); });
      std::vector<int> want = from;
      want.push_back(-1);
      EXPECT_EQ(to, want) << count << " elements, " << threads << " threads";
    }
  }
}

/// `offset`: elements from an address aligned to 16 bytes.
template <int kLoop, typename T>
void expect_loop(std::size_t count, std::size_t threads, std::size_t offset) {
  std::vector<Wide<T>> a(count + 2), b(count + 2), c(count + 2);
  T* const to = a.front().lane + offset;
  T* const from = b.front().lane + offset;
  T* const other = c.front().lane + offset;
  for (std::size_t i = 0; i < count; ++i) {
    from[i] = static_cast<T>(i + 1);
    other[i] = static_cast<T>(7 * i);
  }
  to[count] = T{-1};
  const std::size_t wide = offset == 0 ? count / Wide<T>::kLanes : 0;
  for_each_thread(threads,
                  [&](Thread one) { loop_thread<kLoop>(one, to, from, other, count, wide); });
  const T from_factor = kLoop == 1 ? T{3} : T{1};
  const T other_factor = kLoop == 3 ? T{3} : kLoop == 2 ? T{1} : T{0};
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i)
    wrong += to[i] == from_factor * from[i] + other_factor * other[i] ? 0 : 1;
  EXPECT_EQ(wrong, 0U) << "loop " << kLoop << ", " << count << " elements, " << threads
                       << " threads, offset " << offset;
  EXPECT_EQ(to[count], T{-1});
}

template <typename T>
void expect_loops() {
  for (const std::size_t count : kLengths) {
    for (const std::size_t threads : kThreads) {
      for (const std::size_t offset : {std::size_t{0}, std::size_t{1}}) {
        expect_loop<0, T>(count, threads, offset);
        expect_loop<1, T>(count, threads, offset);
        expect_loop<2, T>(count, threads, offset);
        expect_loop<3, T>(count, threads, offset);
      }
    }
  }
}

TEST(KernelThreads, RunStreamsLoopsOnFloats) { expect_loops<float>(); }
TEST(KernelThreads, RunStreamsLoopsOnDoubles) { expect_loops<double>(); }

}  // namespace
}  // namespace scalemark::device::kernels
