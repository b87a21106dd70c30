// SPDX-License-Identifier: Apache-2.0
// Plans copies by direction and kind of memory.
#include "suites/micro/memory/copy_plan.hpp"

#include <fmt/format.h>

#include "common/base/error.hpp"

namespace scalemark::micro {
namespace {

using device::MemoryKind;

/// Whether the device accesses the memory directly, without host or driver.
bool is_locked(MemoryKind kind) {
  return kind == MemoryKind::pinned || kind == MemoryKind::registered ||
         kind == MemoryKind::write_combined || kind == MemoryKind::device;
}

CopyEngine engine_of(const Point& point, MemoryKind host) {
  const bool kernel = point.text("engine") == "kernel";
  if (point.text("direction") == "h2h") return CopyEngine::host;
  if (point.text("direction") != "d2d" && point.text("direction") != "peer" &&
      host == MemoryKind::managed)
    return kernel ? CopyEngine::faults : CopyEngine::prefetch;
  return kernel ? CopyEngine::kernel : CopyEngine::copy_engine;
}

}  // namespace

CopyPlan plan_copy(const Point& point) {
  const std::string& direction = point.text("direction");
  const MemoryKind host = device::memory_kind_from(point.text("host_memory"));
  CopyPlan plan{.from = host, .to = host, .engine = engine_of(point, host)};
  if (direction == "h2d" || direction == "bidirectional") {
    plan.to = MemoryKind::device;
  } else if (direction == "d2h") {
    plan.from = MemoryKind::device;
  } else if (direction == "d2d" || direction == "peer") {
    plan.from = plan.to = MemoryKind::device;
  } else if (direction != "h2h") {
    throw UsageError(fmt::format(
        "no direction '{}'; allowed: h2d, d2h, d2d, h2h, bidirectional, peer", direction));
  }
  plan.both_ways = direction == "bidirectional";
  plan.needs_device =
      direction != "h2h" || (host != MemoryKind::pageable && host != MemoryKind::huge_pages);
  plan.needs_reset = plan.engine == CopyEngine::prefetch || plan.engine == CopyEngine::faults;
  plan.moved_per_byte = direction == "d2d" || direction == "h2h" ? 2 : 1;
  const bool by_device =
      plan.engine == CopyEngine::copy_engine || plan.engine == CopyEngine::kernel;
  plan.behind_blocker = by_device && is_locked(plan.from) && is_locked(plan.to);
  return plan;
}

CopiesHeld copies_held(const Point& point) {
  const CopyPlan plan = plan_copy(point);
  CopiesHeld held{.on_host = 1};
  const auto count = [&held](MemoryKind kind, std::uint64_t times) {
    (kind == MemoryKind::device ? held.on_device : held.on_host) += times;
  };
  count(plan.from, plan.both_ways ? 2 : 1);
  count(plan.to, plan.both_ways ? 2 : 1);
  return held;
}

bool copy_makes_sense(const Point& point) {
  const std::string &direction = point.text("direction"), &host = point.text("host_memory");
  const bool kernel = point.text("engine") == "kernel";
  if (direction == "d2d" || direction == "peer") return host == "pageable";
  if (direction == "h2h") return !kernel && host != "write_combined" && host != "managed";
  // Device threads migrate managed pages to the device, never to the host.
  if (kernel && host == "managed" && direction != "h2d") return false;
  // On most machines device threads cannot access pageable host memory.
  if (kernel && (host == "pageable" || host == "huge_pages")) return false;
  return direction != "bidirectional" || host != "managed";
}

}  // namespace scalemark::micro
