// SPDX-License-Identifier: Apache-2.0
// Known data in the buffers of a case, whatever their memory.
#pragma once

#include <cstddef>
#include <functional>

#include "common/collective/communicator.hpp"
#include "common/core/axis.hpp"
#include "common/core/case.hpp"
#include "common/device/device.hpp"
#include "suites/micro/data/known_data.hpp"

namespace scalemark::micro {

/// Skips the case, on all ranks, where the communicator cannot do the call on the case's memory;
/// states how that memory goes through MPI.
void require_support(Case& c, const collective::Communicator& comm, const collective::Call& call,
                     collective::DeviceUse use);

/// NCCL works on device memory only, gloo on host memory; other points are left out of plans.
bool backend_suits_memory(const Params& params);

/// For Benchmark::adjust_to_job: names the way of device memory through MPI (transfer.hpp).
std::function<void(Params&, const PlanContext&)> transfer_of(collective::DeviceUse use);

/// Puts elements of what `rank` has into memory of the case's device, from element `offset` on. Big
/// ones go by pieces: little memory is needed besides.
void fill(Case& c, void* memory, std::size_t offset, const KnownData& data, collective::DType type,
          std::size_t count, int rank, std::size_t position = 0);
/// Counts the elements of the memory that are not what the block says, and overwrites them: what
/// was checked must be received again before it can pass another time. `base`: where the result
/// begins in the memory, in elements.
Case::Checked check(Case& c, void* memory, std::size_t base, const KnownData& data,
                    collective::DType type, const Block& block);

/// The same for `bytes` bytes that `sender` has.
void fill_message(Case& c, const device::Buffer& buffer, std::size_t bytes, int sender);
Case::Checked check_message(Case& c, const device::Buffer& buffer, std::size_t bytes, int sender,
                            std::size_t offset = 0);

}  // namespace scalemark::micro
