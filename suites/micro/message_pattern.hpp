// SPDX-License-Identifier: Apache-2.0
// Data whose result is known exactly, for verifying communication in every back end and memory.
#pragma once

#include <cstddef>

#include "common/collective/communicator.hpp"
#include "common/core/case.hpp"
#include "common/device/device.hpp"

namespace scalemark {

/// Skips the case, on all ranks, where the communicator cannot handle the type in the case's
/// memory.
void require_support(Case& c, const collective::Communicator& comm, collective::DType type,
                     collective::ReduceOp op = collective::ReduceOp::sum);

/// NCCL works on device memory only; such points are left out of plans.
bool backend_suits_memory(const Params& params);

/// Fills `bytes` bytes with a pattern of the sender's rank, the seed and the position.
void fill_message(Case& c, const device::Buffer& buffer, std::size_t bytes, int sender);
/// Counts the bytes at `offset` that differ from the pattern of `sender`, and overwrites them.
Case::Checked check_message(Case& c, const device::Buffer& buffer, std::size_t bytes, int sender,
                            std::size_t offset = 0);

/// fp32 integers small enough that their sum over up to 65,536 ranks is exact in any order.
void fill_summand(Case& c, const device::Buffer& buffer, std::size_t count, int rank);
/// Counts the elements that differ from the exact sum over `ranks` ranks, and overwrites them.
Case::Checked check_sum(Case& c, const device::Buffer& buffer, std::size_t count, int ranks);

}  // namespace scalemark
