// SPDX-License-Identifier: Apache-2.0
// Copies an array of doubles in reverse order within host memory: what a stride of -1 costs.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"

namespace scalemark {
namespace {

/// Element i of a rank: whole numbers, so that equality is exact.
double value(std::size_t i, int rank) { return static_cast<double>(i % 1024) + rank; }

void reverse_copy(Case& c) {
  const auto count = static_cast<std::size_t>(c.integer("bytes")) / sizeof(double);
  const device::Buffer from = c.alloc(count * sizeof(double));
  const device::Buffer to = c.alloc(count * sizeof(double));
  const std::span source(from.as<double>(), count), target(to.as<double>(), count);
  for (std::size_t i = 0; i < count; ++i) source[i] = value(i, c.rank());

  c.verify("every element against this rank's values in reverse order", [&] {
    Case::Checked result{.checked = count};
    for (std::size_t i = 0; i < count; ++i) {
      if (target[i] != value(count - 1 - i, c.rank())) ++result.wrong;
      target[i] = -1;  // the next operation has to write it again
    }
    return result;
  });
  const auto bytes = static_cast<double>(count * sizeof(double));
  c.work({.bytes = bytes,
          .moved = 2 * bytes,
          .formula = "bytes / time",
          .carrier = Carrier::host_memory});
  c.measure([&] { std::ranges::reverse_copy(source, target.begin()); },
            {.metric = "time", .inner = 0, .barrier = false});
}

SCALEMARK_BENCHMARK("example/reverse_copy", reverse_copy)
    .doc("Copies of doubles in reverse order within host memory")
    .rank_local()
    .axis_integer("bytes", {.minimum = 8,
                            .maximum = std::int64_t{1} << 32,
                            .defaults = "4K:64M:*8",
                            .quick = "64K"})
    .memory([](const Point& p) { return 2 * static_cast<std::uint64_t>(p.integer("bytes")); });

}  // namespace
}  // namespace scalemark
