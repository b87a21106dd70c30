// SPDX-License-Identifier: Apache-2.0
// No copy that needs the host goes behind a kernel that waits for the host.
#include "suites/micro/memory/copy_plan.hpp"

#include <gtest/gtest.h>

#include "common/base/error.hpp"

namespace scalemark::micro {
namespace {

using device::MemoryKind;

constexpr const char* kDirections[] = {"h2d", "d2h", "d2d", "h2h", "bidirectional"};
constexpr const char* kKinds[] = {"pageable",       "pinned",  "registered",
                                  "write_combined", "managed", "huge_pages"};

Point point(const std::string& direction, const std::string& host, const std::string& engine) {
  return {{"direction", direction}, {"host_memory", host}, {"engine", engine}};
}

bool needs_host(MemoryKind kind) {
  return kind == MemoryKind::pageable || kind == MemoryKind::managed ||
         kind == MemoryKind::huge_pages;
}

TEST(CopyPlan, WhatNeedsTheHostIsNeverBehindTheBlocker) {
  int behind = 0;
  for (const char* direction : kDirections) {
    for (const char* kind : kKinds) {
      for (const char* engine : {"copy_engine", "kernel"}) {
        const Point one = point(direction, kind, engine);
        const CopyPlan plan = plan_copy(one);
        behind += plan.behind_blocker ? 1 : 0;
        if (!plan.behind_blocker) continue;
        SCOPED_TRACE(std::string(direction) + " " + kind + " " + engine);
        EXPECT_FALSE(needs_host(plan.from) || needs_host(plan.to));
        EXPECT_TRUE(plan.engine == CopyEngine::copy_engine || plan.engine == CopyEngine::kernel);
        EXPECT_TRUE(plan.needs_device);
      }
    }
  }
  // Three kinds in three directions and d2d whatever the host's kind, by two engines each.
  EXPECT_EQ(behind, 2 * (3 * 3 + 6));
}

TEST(CopyPlan, DirectionsSayWhereBytesComeFrom) {
  const CopyPlan up = plan_copy(point("h2d", "pinned", "copy_engine"));
  EXPECT_EQ(up.from, MemoryKind::pinned);
  EXPECT_EQ(up.to, MemoryKind::device);
  EXPECT_EQ(up.moved_per_byte, 1);
  const CopyPlan down = plan_copy(point("d2h", "pageable", "copy_engine"));
  EXPECT_EQ(down.from, MemoryKind::device);
  EXPECT_EQ(down.to, MemoryKind::pageable);
  EXPECT_TRUE(plan_copy(point("bidirectional", "pinned", "copy_engine")).both_ways);
  EXPECT_EQ(plan_copy(point("d2d", "pageable", "kernel")).moved_per_byte, 2);
  EXPECT_EQ(plan_copy(point("h2d", "managed", "copy_engine")).engine, CopyEngine::prefetch);
  EXPECT_EQ(plan_copy(point("h2d", "managed", "kernel")).engine, CopyEngine::faults);
  EXPECT_EQ(plan_copy(point("h2h", "pageable", "copy_engine")).engine, CopyEngine::host);
  EXPECT_FALSE(plan_copy(point("h2h", "huge_pages", "copy_engine")).needs_device);
  EXPECT_TRUE(plan_copy(point("h2h", "pinned", "copy_engine")).needs_device);
  EXPECT_THROW(plan_copy(point("up", "pinned", "copy_engine")), UsageError);
}

TEST(CopyPlan, PointsThatMakeNoSenseAreLeftOut) {
  EXPECT_TRUE(copy_makes_sense(point("d2d", "pageable", "kernel")));
  EXPECT_FALSE(copy_makes_sense(point("d2d", "pinned", "kernel")));
  EXPECT_FALSE(copy_makes_sense(point("h2h", "pageable", "kernel")));
  EXPECT_FALSE(copy_makes_sense(point("h2h", "write_combined", "copy_engine")));
  EXPECT_FALSE(copy_makes_sense(point("h2d", "pageable", "kernel")));
  EXPECT_TRUE(copy_makes_sense(point("h2d", "managed", "kernel")));
  EXPECT_FALSE(copy_makes_sense(point("d2h", "managed", "kernel")));
  EXPECT_FALSE(copy_makes_sense(point("bidirectional", "managed", "copy_engine")));
}

TEST(CopyPlan, CountsTheMemoryOfHostAndDevice) {
  const auto held = [](const char* direction, const char* kind) {
    const CopiesHeld one = copies_held(point(direction, kind, "copy_engine"));
    return std::pair(one.on_device, one.on_host);
  };
  EXPECT_EQ(held("h2h", "pageable"), std::pair(std::uint64_t{0}, std::uint64_t{3}));
  EXPECT_EQ(held("h2d", "pinned"), std::pair(std::uint64_t{1}, std::uint64_t{2}));
  EXPECT_EQ(held("d2h", "pinned"), std::pair(std::uint64_t{1}, std::uint64_t{2}));
  EXPECT_EQ(held("d2d", "pageable"), std::pair(std::uint64_t{2}, std::uint64_t{1}));
  EXPECT_EQ(held("bidirectional", "pinned"), std::pair(std::uint64_t{2}, std::uint64_t{3}));
}

}  // namespace
}  // namespace scalemark::micro
