// SPDX-License-Identifier: Apache-2.0
// micro/memory_latency with device=cuda: dependent loads by one thread of a GPU.
#pragma once

#include <cstdint>

#include "common/core/case.hpp"
#include "common/device/device.hpp"

namespace scalemark::micro {

/// Collective. Measures load_latency of memory at `place`: device (the rank's GPU's own), host
/// (pinned, near the rank or on node `numa`), or peer (each ordered pair of this process's GPUs in
/// turn; the slowest pair counts, table `pairs` has all). Time between two events behind a blocking
/// kernel. Skips the case without a GPU, and `peer` without two that reach each other.
void measure_gpu_latency(Case& c);

/// Enqueues one thread on the current device that makes `loads` loads, each of words[position],
/// which is the next position. The first position is `*at`; the last one is written to it. Throws
/// Unavailable in a build without CUDA.
void start_chase(const std::uint64_t* words, std::uint64_t* at, std::uint64_t loads,
                 device::Stream& stream);

}  // namespace scalemark::micro
