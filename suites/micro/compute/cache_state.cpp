// SPDX-License-Identifier: Apache-2.0
// Empties the caches by writing a block that fills them.
#include "suites/micro/compute/cache_state.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/base/small_files.hpp"
#include "common/base/text.hpp"
namespace scalemark::micro {

void cache_axis(Benchmark& benchmark) {
  benchmark.axis("cache",
                 {.values = {"hot", "cold"},
                  .defaults = {"hot"},
                  .implied = "hot",
                  .doc = "Operands in the caches from the call before, or not (CPUs only)"});
}

std::size_t largest_cache() {
  constexpr std::int64_t kUnknown = 64 << 20, kMost = 512 << 20;
  std::int64_t largest = 0;
  for (int index = 0; index < 8; ++index) {  // "32768K"
    const std::string size =
        first_line("/sys/devices/system/cpu/cpu0", fmt::format("cache/index{}/size", index));
    largest = std::max(largest, text::parse_integer(size).value_or(0));
  }
  return static_cast<std::size_t>(largest > 0 ? std::min(largest, kMost) : kUnknown);
}

MeasureOptions with_cache(Case& c, MeasureOptions options) {
  if (c.text("cache") == "hot") return options;
  if (c.text("device") != "cpu") c.skip("cache=cold is for CPUs");
  constexpr std::size_t kLine = 64;
  const auto block = std::make_shared<std::vector<unsigned char>>(2 * largest_cache());
  c.fact("cache_flushed", static_cast<std::int64_t>(block->size()));
  options.inner = 1;
  options.before = [block] {
    for (std::size_t i = 0; i < block->size(); i += kLine) ++(*block)[i];
  };
  return options;
}

}  // namespace scalemark::micro
