// SPDX-License-Identifier: Apache-2.0
// Benchmark micro/memcpy: copies between host and device memory, by kind of host memory, NUMA node
// and engine. The host clock times every copy, from the call to the synchronisation after it.
// Events behind a blocking kernel time copies that run on the device alone. All copies use the same
// buffers, so small ones stay in the cache.
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "suites/micro/data/sizes.hpp"
#include "suites/micro/memory/copy_plan.hpp"
#include "suites/micro/memory/copy_work.hpp"
#include "suites/micro/memory/device_turns.hpp"
#include "suites/micro/memory/numa_choice.hpp"
#include "suites/micro/memory/peer_copy.hpp"

namespace scalemark::micro {
namespace {

Carrier carrier_of(const CopyPlan& plan) {
  if (plan.from != plan.to) return Carrier::to_gpu;
  return plan.from == device::MemoryKind::device ? Carrier::device_memory : Carrier::host_memory;
}

void copy_memory(Case& c) {
  if (c.text("direction") == "peer") return copy_between_gpus(c);
  const CopyPlan plan = plan_copy(c.result().params);
  const NumaChoice numa = require_numa(c);
  CopyWork work(c, plan, static_cast<std::size_t>(c.integer("bytes")), numa.node);
  c.verify("every copied byte against this rank's pattern", [&] { return work.check(); });
  const auto one_way = static_cast<double>(c.integer("bytes"));
  const double counted = one_way * (plan.both_ways ? 2 : 1);
  c.work(
      {.bytes = counted,
       .moved = counted * plan.moved_per_byte,
       .formula = "bytes / time",
       .carrier = carrier_of(plan),
       .link_bytes = plan.both_ways ? LinkBytes([one_way](Ends) { return one_way; }) : LinkBytes(),
       .memory_node = numa.node,
       .in_turn = c.text("devices") == "one"});
  DeviceTurns turns(
      c, [&](std::uint64_t copies) { return work.time(copies); }, counted, plan.needs_device);
  turns.measure(plan.needs_reset ? 1 : 0);
  // Ranks cannot take turns with events.
  const bool together = c.size() == 1 || c.text("devices") == "all";
  if (plan.behind_blocker && together) work.measure_by_events(counted);
}

SCALEMARK_BENCHMARK("micro/memcpy", copy_memory)
    .doc("Copies within the host, to the device and back, within the device, between GPUs")
    .rank_local()
    .axis("direction", {.values = {"h2h", "h2d", "d2h", "d2d", "bidirectional", "peer"},
                        .defaults = {"h2h", "h2d", "d2h"}})
    .axis("host_memory", {.values = {"pageable", "pinned", "registered", "write_combined",
                                     "managed", "huge_pages"},
                          .defaults = {"pageable", "pinned"}})
    .axis("engine", {.values = {"copy_engine", "kernel"},
                     .defaults = {"copy_engine"},
                     .implied = "copy_engine"})
    .with(numa_axis)
    .with(devices_axis)
    .with(peer_axes)
    .axis_integer("bytes", {.minimum = 1,
                            .maximum = std::int64_t{1} << 36,
                            .defaults = "4,256,4K:64M:*4",
                            .quick = "1M",
                            .doc = "Bytes of one copy",
                            .unit = "By"})
    .where([](const Point& p) { return copy_makes_sense(p) && peer_copy_makes_sense(p); })
    .needs("a CUDA device for all but h2h of pageable and huge_pages memory")
    .works_on_gpu([](const Point& p) { return plan_copy(p).needs_device; })
    .memory([](const Point& p) { return copies_held(p).on_device * bytes_of(p); })
    .host_memory([](const Point& p) { return copies_held(p).on_host * bytes_of(p); });

}  // namespace
}  // namespace scalemark::micro
