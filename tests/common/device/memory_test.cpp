// SPDX-License-Identifier: Apache-2.0
// Names of memory kinds, and who frees a buffer when.
#include "common/device/memory.hpp"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace scalemark::device {
namespace {

TEST(MemoryKind, NamesAreTheAxisValues) {
  for (const char* name :
       {"pageable", "pinned", "registered", "write_combined", "managed", "huge_pages", "device"}) {
    EXPECT_EQ(to_string(memory_kind_from(name)), name);
  }
}

TEST(MemoryKind, UnknownNamesListTheKinds) {
  for (const char* name : {"", "Pinned", "pinne", "device ", "\x1b[31m"}) {
    try {
      memory_kind_from(name);
      FAIL() << name;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("pageable, pinned, registered"));
      EXPECT_THAT(error.what(), ::testing::Not(::testing::HasSubstr("\x1b")));
    }
  }
}

class BufferOwnership : public ::testing::Test {
 protected:
  Buffer make(char* block) {
    return {block, 8, MemoryKind::pinned, [this](void*) { ++released_; }};
  }
  int released_ = 0;
  char first_[8] = {}, second_[8] = {};
};

TEST_F(BufferOwnership, ReleasesOnce) {
  { const Buffer buffer = make(first_); }
  EXPECT_EQ(released_, 1);
}

TEST_F(BufferOwnership, MovingTakesTheBlock) {
  {
    Buffer a = make(first_);
    const Buffer b = std::move(a);
    EXPECT_EQ(a.data(), nullptr);  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(a.bytes(), 0U);
    EXPECT_EQ(b.as<char>(), first_);
    EXPECT_EQ(b.bytes(), 8U);
    EXPECT_EQ(b.kind(), MemoryKind::pinned);
    EXPECT_EQ(released_, 0);
  }
  EXPECT_EQ(released_, 1);
}

TEST_F(BufferOwnership, AssigningReleasesTheOldBlockAtOnce) {
  Buffer a = make(first_);
  Buffer b = make(second_);
  a = std::move(b);
  EXPECT_EQ(released_, 1);
  EXPECT_EQ(a.as<char>(), second_);
  a = Buffer();
  EXPECT_EQ(released_, 2);
  EXPECT_EQ(a.data(), nullptr);
}

}  // namespace
}  // namespace scalemark::device
