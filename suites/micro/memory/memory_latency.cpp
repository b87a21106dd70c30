// SPDX-License-Identifier: Apache-2.0
// Memory latency: time of a load whose address is the result of the load before it, in a working
// set of `bytes`, by a CPU core or by a thread of a GPU.
#include <cstddef>
#include <cstdint>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "suites/micro/data/sizes.hpp"
#include "suites/micro/memory/gpu_latency.hpp"
#include "suites/micro/memory/numa_choice.hpp"
#include "suites/micro/memory/pointer_chain.hpp"

namespace scalemark::micro {
namespace {

/// Loads of one operation.
constexpr std::uint64_t kLoads = 1000;

bool loads_on_gpu(const Point& p) { return p.text("device") == "cuda"; }

void memory_latency(Case& c) {
  if (loads_on_gpu(c.result().params)) return measure_gpu_latency(c);
  const std::uint64_t bytes = bytes_of(c.result().params);
  const NumaChoice numa = require_numa(c);
  const device::Buffer buffer = c.hardware().host().allocate(
      bytes, device::memory_kind_from(c.text("host_memory")), numa.node);
  const PointerChain chain(bytes);
  const auto* const words = buffer.as<std::uint64_t>();
  chain.write(buffer.as<std::uint64_t>());

  std::uint64_t at = chain.start(), loads = 0;
  c.verify("where the chain stands, against its order", [&] {
    const Case::Checked result = chain.check(at, loads);
    at = chain.start();  // the next operation has to go on from here
    loads = 0;
    return result;
  });
  c.measure(
      [&] {
        for (std::uint64_t i = 0; i < kLoads; ++i) at = words[at];
        loads += kLoads;
      },
      {.metric = "load_latency", .inner = 0, .scale = 1.0 / kLoads, .barrier = false});
}

/// A core loads memory of the host; kinds of host memory and NUMA nodes are of the host.
bool latency_makes_sense(const Point& p) {
  const std::string &place = p.text("place"), &memory = p.text("host_memory");
  if (!loads_on_gpu(p)) return place == "host" && memory != "pinned";
  if (place == "host") return memory == "pinned";
  return memory == "pageable" && p.text("numa") == "local";
}

SCALEMARK_BENCHMARK("micro/memory_latency", memory_latency)
    .doc("Latency of dependent loads in random order (pointer chasing) by size of the working set")
    .rank_local()
    .axis("device", {.values = {"cpu", "cuda"},
                     .defaults = {"cpu"},
                     .implied = "cpu",
                     .doc = "What loads: a core, or a thread of a GPU"})
    .axis("place", {.values = {"host", "device", "peer"},
                    .defaults = {"host"},
                    .implied = "host",
                    .doc = "Where the memory is: in the host, in the GPU that loads, or in another "
                           "GPU (each pair in turn; the slowest counts)"})
    .axis("host_memory", {.values = {"pageable", "huge_pages", "pinned"},
                          .defaults = {"pageable"},
                          .implied = "pageable"})
    .with(numa_axis)
    .axis_integer("bytes", {.minimum = 64,
                            .maximum = std::int64_t{1} << 38,
                            .defaults = "16K:256M:*4",
                            .quick = "16K,64M",
                            .doc = "Size of the working set",
                            .unit = "By"})
    .adjust([](Point& point) {
      if (point.text("place") == "peer") point["ranks"] = std::int64_t{1};
    })
    .where(latency_makes_sense)
    .works_on_gpu(loads_on_gpu)
    .memory([](const Point& p) {
      if (!loads_on_gpu(p)) return bytes_of(p) + bytes_of(p) / 8;
      return p.text("place") == "host" ? 0 : bytes_of(p);
    })
    .host_memory([](const Point& p) {  // the chain before it is copied, and its order
      if (!loads_on_gpu(p)) return std::uint64_t{0};
      return (p.text("place") == "host" ? 2 : 1) * bytes_of(p) + bytes_of(p) / 8;
    });

}  // namespace
}  // namespace scalemark::micro
