// SPDX-License-Identifier: Apache-2.0
// Collectives that kernels of ours carry out over NCCL's device API.
#pragma once

#include <memory>

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "common/collective/call.hpp"
#include "common/collective/nccl_memory.hpp"

namespace scalemark::collective {

class NcclKernels {
 public:
  virtual ~NcclKernels() = default;
  /// Collective. Gives the call to `stream`; its buffers begin at these places.
  virtual void enqueue(const Call& call, const WindowPlace& in, const WindowPlace& out,
                       cudaStream_t stream) = 0;
  /// The communicator is aborted: nothing is told to NCCL any more.
  virtual void abandon() = 0;
};

/// Collective. On a communicator that outlives them, unless they are abandoned. Throws Unavailable,
/// on all ranks alike, if NCCL has no device API or GPUs do not reach each other's memory;
/// otherwise Error.
std::unique_ptr<NcclKernels> make_nccl_kernels(ncclComm_t comm, DeviceApi api);

}  // namespace scalemark::collective
