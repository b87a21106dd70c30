// SPDX-License-Identifier: Apache-2.0
// Known data in the buffers of a case, whatever their memory.
#pragma once

#include <cstddef>

#include "common/collective/communicator.hpp"
#include "common/core/case.hpp"
#include "common/device/device.hpp"
#include "suites/micro/known_data.hpp"

namespace scalemark {

/// Skips the case, on all ranks, where the communicator cannot do the call on the case's memory.
void require_support(Case& c, const collective::Communicator& comm, const collective::Call& call);

/// NCCL works on device memory only, gloo on host memory; other points are left out of plans.
bool backend_suits_memory(const Params& params);

/// Puts elements of what `rank` has into the buffer, from element `offset` on. Big buffers go by
/// pieces: little memory is needed besides.
void fill(Case& c, const device::Buffer& buffer, std::size_t offset, const KnownData& data,
          collective::DType type, std::size_t count, int rank, std::size_t position = 0);
/// Counts the elements of the buffer that are not what the block says, and overwrites them: what
/// was checked must be received again before it can pass another time. `base`: where the result
/// begins in the buffer, in elements.
Case::Checked check(Case& c, const device::Buffer& buffer, std::size_t base, const KnownData& data,
                    collective::DType type, const Block& block);

/// The same for `bytes` bytes that `sender` has.
void fill_message(Case& c, const device::Buffer& buffer, std::size_t bytes, int sender);
Case::Checked check_message(Case& c, const device::Buffer& buffer, std::size_t bytes, int sender,
                            std::size_t offset = 0);

}  // namespace scalemark
