// SPDX-License-Identifier: Apache-2.0
// Fills and checks the buffers of a case with known data, in any kind of memory.
#pragma once

#include <cstddef>
#include <functional>

#include "common/collective/communicator.hpp"
#include "common/core/axis.hpp"
#include "common/core/case.hpp"
#include "common/device/device.hpp"
#include "suites/micro/data/known_data.hpp"

namespace scalemark::micro {

/// Skips the case on all ranks if the communicator does not support the call with the case's
/// memory. States the path of device memory through MPI.
void require_support(Case& c, const collective::Communicator& comm, const collective::Call& call,
                     collective::DeviceUse use);

/// NCCL supports device memory only, gloo host memory only; other combinations are not planned.
bool backend_suits_memory(const Point& point);

/// For Benchmark::adjust_to_job: sets the path of device memory through MPI (transfer.hpp).
std::function<void(Point&, const PlanContext&)> transfer_of(collective::DeviceUse use);

/// Writes data of `rank` to memory of the case's device from element `offset` on. Works piece by
/// piece, so large buffers need little extra memory.
void fill(Case& c, void* memory, std::size_t offset, const KnownData& data, collective::DType type,
          std::size_t count, int rank, std::size_t position = 0);
/// Counts elements that differ from the block's data, then overwrites all of them, so that the next
/// check fails unless they are received again. `base`: start of the result in the memory, in
/// elements.
Case::Checked check(Case& c, void* memory, std::size_t base, const KnownData& data,
                    collective::DType type, const Block& block);

/// What messages of bytes hold in a round.
KnownData bytes_of_round(const Case& c, int round);

/// The same for `bytes` bytes of `sender`.
void fill_message(Case& c, const device::Buffer& buffer, std::size_t bytes, int sender);
Case::Checked check_message(Case& c, const device::Buffer& buffer, std::size_t bytes, int sender,
                            std::size_t offset = 0);

}  // namespace scalemark::micro
