// SPDX-License-Identifier: Apache-2.0
// Shared windows on 1, 2 and 4 ranks.
#include "common/mpi/shared_window.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <sys/statvfs.h>

#include "tests/support/mpi_main.hpp"

namespace scalemark::mpi {
namespace {

using test::world;

std::uint8_t value_of(std::size_t i) { return static_cast<std::uint8_t>(1 + i % 251); }

/// Each rank writes its part; each sees the whole.
TEST(SharedWindow, AllSeeWhatEachWrote) {
  constexpr std::size_t kBytes = 1'000'003;  // no multiple of pages or ranks
  const SharedWindow window(world().split_node(), kBytes);
  ASSERT_EQ(window.bytes().size(), kBytes);
  EXPECT_EQ(window.ranks().size(), world().size());
  const auto rank = static_cast<std::size_t>(world().rank());
  const auto ranks = static_cast<std::size_t>(world().size());
  for (std::size_t i = kBytes * rank / ranks; i < kBytes * (rank + 1) / ranks; ++i)
    window.bytes()[i] = value_of(i);
  window.publish();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < kBytes; ++i) wrong += window.bytes()[i] == value_of(i) ? 0 : 1;
  EXPECT_EQ(wrong, 0U);
}

/// It is one piece of memory, not a copy for each: what is written later is seen too.
TEST(SharedWindow, ItIsTheSameMemory) {
  const SharedWindow window(world().split_node(), 64);
  for (int writer = 0; writer < world().size(); ++writer) {
    if (world().rank() == writer) window.bytes()[63] = static_cast<std::uint8_t>(100 + writer);
    window.publish();
    EXPECT_EQ(window.bytes()[63], 100 + writer);
    world().barrier();  // before the next one writes
  }
}

TEST(SharedWindow, MovesAndIsGivenBack) {
  SharedWindow first(world().split_node(), 8);
  first.bytes()[0] = 7;
  SharedWindow second(std::move(first));
  EXPECT_TRUE(first.bytes().empty());  // NOLINT(bugprone-use-after-move): empty as declared
  EXPECT_EQ(second.bytes()[0], 7);
  second.publish();
  second = SharedWindow(world().split_node(), 16);
  EXPECT_EQ(second.bytes().size(), 16U);
  second = {};
  EXPECT_TRUE(second.bytes().empty());
  // The memory file system is as before: nothing of a hundred windows is left.
  struct statvfs before {
  }, after{};
  ASSERT_EQ(statvfs("/dev/shm", &before), 0);
  for (int i = 0; i < 100; ++i) {
    const SharedWindow window(world().split_node(), 1 << 20);
    std::ranges::fill(window.bytes(), std::uint8_t{1});
    window.publish();
  }
  world().barrier();
  ASSERT_EQ(statvfs("/dev/shm", &after), 0);
  const auto lost = static_cast<double>(before.f_bfree) - static_cast<double>(after.f_bfree);
  EXPECT_LT(lost * static_cast<double>(after.f_frsize), 50.0 * (1 << 20));
}

TEST(SharedWindow, WhatDoesNotFitIsRefusedOnAllRanks) {
  if (world().size() == 1) return;  // plain memory
  try {
    const SharedWindow window(world().split_node(), std::size_t{1} << 50);
    ADD_FAILURE() << "2^50 bytes were there";
  } catch (const OutOfMemory& error) {
    EXPECT_NE(std::string(error.what()).find("shared window"), std::string::npos) << error.what();
  }
  EXPECT_EQ(world().sum(1), world().size()) << "the ranks are still together";
}

}  // namespace
}  // namespace scalemark::mpi
