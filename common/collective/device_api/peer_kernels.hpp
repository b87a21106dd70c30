// SPDX-License-Identifier: Apache-2.0
// Launches kernels that load and store in the memory of other GPUs.
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "common/collective/types.hpp"

struct ncclDevComm;

namespace scalemark::collective::kernels {

/// Blocks of a launch; each has a barrier of its own over all GPUs. As many as nccl-tests has.
constexpr int kBlocks = 16;

/// Buffers in windows, which begin `in_offset` and `out_offset` bytes from their starts.
struct PeerCall {
  ncclWindow_t in, out;
  std::size_t in_offset, out_offset;
  std::size_t count;
};

/// Collective: sum of `count` elements of fp32, fp16 or bf16 over all ranks. `multimem`: the switch
/// adds; needs compute capability 9.0. cudaErrorInvalidValue for other types.
cudaError_t allreduce(const ncclDevComm& comm, const PeerCall& call, DType type, bool multimem,
                      cudaStream_t stream);

/// Collective: `count` bytes to each rank.
cudaError_t alltoall(const ncclDevComm& comm, const PeerCall& call, cudaStream_t stream);

}  // namespace scalemark::collective::kernels
