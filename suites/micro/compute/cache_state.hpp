// SPDX-License-Identifier: Apache-2.0
// Axes `cache` and `reuse_distance`: where a computation on a CPU finds its operands. A step of a
// training uses other memory between two uses of an operand; a benchmark that repeats one call
// finds it in the caches.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"

namespace scalemark::micro {

/// What the operations before have just written in a step.
using FreshMemory = std::vector<std::span<const std::byte>>;

/// Adds both axes; their implied values are "hot" and 0.
void cache_axes(Benchmark& benchmark);

/// `options` for both axes. Before each call cold writes twice the largest cache. A reuse distance
/// reads so many bytes, at most twice the largest cache, and then `fresh`. A sample is then one
/// call; what comes before it is timed apart, as local_time. Fact `cache_flushed`: bytes written or
/// read. Skips such cases on a GPU.
MeasureOptions with_cache(Case& c, MeasureOptions options, const FreshMemory& fresh = {});

/// Bytes of the largest cache of the first core, as Linux names it, at most 512 MiB; 64 MiB where
/// it names none. sysconf() is not asked: on AMD it adds up the caches of several chips.
std::size_t largest_cache();

}  // namespace scalemark::micro
