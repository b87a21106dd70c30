// SPDX-License-Identifier: Apache-2.0
// Axis `cache`: where a computation on a CPU finds its operands. A step of a training uses more
// memory than the caches hold between two uses of an operand; a benchmark that repeats one call
// finds them there.
#pragma once

#include <cstddef>

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"

namespace scalemark::micro {

/// Adds the axis; its implied value is "hot".
void cache_axis(Benchmark& benchmark);

/// `options` for axis `cache`. At cold a sample is one call, and twice the largest cache is written
/// before it (fact `cache_flushed`); that is timed apart, as local_time. Skips cold cases on a GPU.
MeasureOptions with_cache(Case& c, MeasureOptions options);

/// Bytes of the largest cache of the first core, as Linux names it, at most 512 MiB; 64 MiB where
/// it names none. sysconf() is not asked: on AMD it adds up the caches of several chips.
std::size_t largest_cache();

}  // namespace scalemark::micro
