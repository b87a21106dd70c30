// SPDX-License-Identifier: Apache-2.0
// Empties the caches by a block of other memory.
#include "suites/micro/compute/cache_state.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/base/small_files.hpp"
#include "common/base/text.hpp"
#include "common/core/operation_rows.hpp"

namespace scalemark::micro {
namespace {

constexpr std::size_t kLine = 64;  ///< bytes of a cache line

using Block = std::vector<std::byte>;

void read(std::span<const std::byte> memory) {
  [[maybe_unused]] volatile std::byte line{};
  for (std::size_t i = 0; i < memory.size(); i += kLine) line = memory[i];
}

void write(Block& block) {
  for (std::size_t i = 0; i < block.size(); i += kLine) block[i] ^= std::byte{1};
}

/// Memory of its own: pages that were never written to would all be the same one.
std::shared_ptr<Block> make_block(Case& c, std::size_t bytes) {
  c.fact("cache_flushed", static_cast<std::int64_t>(bytes));
  return std::make_shared<Block>(bytes, std::byte{1});
}

}  // namespace

void cache_axes(Benchmark& benchmark) {
  benchmark
      .axis("cache", {.values = {"hot", "cold"},
                      .defaults = {"hot"},
                      .implied = "hot",
                      .doc = "Operands in the caches from the call before, or not (CPUs only)"})
      .axis_integer(kReuseDistance,
                    {.minimum = 0,
                     .maximum = std::int64_t{1} << 40,
                     .defaults = "0",
                     .implied = 0,
                     .doc = "Bytes of other memory that are read before each call, as a step of a "
                            "training uses them between two uses of an operand (CPUs only)",
                     .unit = "By"})
      .where([](const Point& p) {
        return p.integer(kReuseDistance) == 0 || p.text("cache") == "hot";
      });
}

std::size_t largest_cache() {
  constexpr std::int64_t kUnknown = 64 << 20, kMost = kMaxReuseDistance / 2;
  std::int64_t largest = 0;
  for (int index = 0; index < 8; ++index) {  // "32768K"
    const std::string size =
        first_line("/sys/devices/system/cpu/cpu0", fmt::format("cache/index{}/size", index));
    largest = std::max(largest, text::parse_integer(size).value_or(0));
  }
  return static_cast<std::size_t>(largest > 0 ? std::min(largest, kMost) : kUnknown);
}

MeasureOptions with_cache(Case& c, MeasureOptions options, const FreshMemory& fresh) {
  const auto distance = static_cast<std::size_t>(c.integer(kReuseDistance));
  const bool cold = c.text("cache") == "cold";
  if (!cold && distance == 0) return options;
  if (c.text("device") != "cpu") c.skip("cache=cold and reuse_distance are for CPUs");
  options.inner = 1;
  const std::size_t most = 2 * largest_cache();
  if (cold)
    options.before = [block = make_block(c, most)] { write(*block); };
  else
    options.before = [block = make_block(c, std::min(distance, most)), fresh] {
      read(*block);
      for (const std::span<const std::byte> one : fresh) read(one);
    };
  return options;
}

}  // namespace scalemark::micro
