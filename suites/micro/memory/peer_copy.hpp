// SPDX-License-Identifier: Apache-2.0
// Copies between the GPUs of one process: direction `peer` of micro/memcpy.
#pragma once

#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"

namespace scalemark::micro {

/// Declares the axes that only direction=peer has, and sets them to their usual values elsewhere.
/// pattern: pair (GPU 0 and 1), both_ways (the same, both directions at once), one_to_all (GPU 0 to
/// all others at once), all_to_one, all_pairs (each ordered pair in turn, table `pairs`).
/// peer_operation: write or read, as the GPU that copies sees it. peer_access: false copies through
/// host memory.
void peer_axes(Benchmark& benchmark);

/// Whether the values of peer_axes() fit the direction.
bool peer_copy_makes_sense(const Point& point);

/// Measures direction=peer. Skips the case with fewer than two GPUs, or without access.
void copy_between_gpus(Case& c);

}  // namespace scalemark::micro
