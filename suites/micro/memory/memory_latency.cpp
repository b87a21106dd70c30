// SPDX-License-Identifier: Apache-2.0
// Memory latency: time of a load whose address is the result of the load before it, in a working
// set of `bytes`.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "suites/micro/data/sizes.hpp"
#include "suites/micro/memory/numa_choice.hpp"

namespace scalemark::micro {
namespace {

/// A cache line holds one link of the chain.
constexpr std::size_t kLineBytes = 64, kLine = kLineBytes / sizeof(std::uint64_t);

/// Loads of one operation.
constexpr std::uint64_t kLoads = 1000;

/// Positions of all links in the order of their visit: random, so that no prefetcher guesses it.
std::vector<std::uint64_t> random_order(std::size_t links) {
  std::vector<std::uint64_t> order(links);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::ranges::shuffle(order, std::mt19937_64(1));
  for (std::uint64_t& position : order) position *= kLine;
  return order;
}

void memory_latency(Case& c) {
  const std::uint64_t bytes = bytes_of(c.result().params);
  const NumaChoice numa = require_numa(c);
  const device::Buffer buffer = c.hardware().host().allocate(
      bytes, device::memory_kind_from(c.text("host_memory")), numa.node);
  auto* const chain = buffer.as<std::uint64_t>();
  const std::vector<std::uint64_t> order = random_order(bytes / kLineBytes);
  for (std::size_t i = 0; i < order.size(); ++i) chain[order[i]] = order[(i + 1) % order.size()];

  std::uint64_t at = order[0], loads = 0;
  c.verify("where the chain stands, against its order", [&] {
    const Case::Checked result{.checked = 1, .wrong = at == order[loads % order.size()] ? 0U : 1U};
    at = order[0];  // the next operation has to go on from here
    loads = 0;
    return result;
  });
  c.measure(
      [&] {
        for (std::uint64_t i = 0; i < kLoads; ++i) at = chain[at];
        loads += kLoads;
      },
      {.metric = "load_latency", .inner = 0, .scale = 1.0 / kLoads, .barrier = false});
}

SCALEMARK_BENCHMARK("micro/memory_latency", memory_latency)
    .doc("Latency of dependent loads in random order (pointer chasing) by size of the working set")
    .rank_local()
    .axis("host_memory",
          {.values = {"pageable", "huge_pages"}, .defaults = {"pageable"}, .implied = "pageable"})
    .with(numa_axis)
    .axis_integer("bytes", {.minimum = 64,
                            .maximum = std::int64_t{1} << 38,
                            .defaults = "16K:256M:*4",
                            .quick = "16K,64M",
                            .doc = "Size of the working set",
                            .unit = "By"})
    .memory([](const Point& p) { return bytes_of(p) + bytes_of(p) / 8; });

}  // namespace
}  // namespace scalemark::micro
