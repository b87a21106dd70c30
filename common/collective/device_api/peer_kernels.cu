// SPDX-License-Identifier: Apache-2.0
// Collectives as kernels over NCCL's device API: a barrier of all GPUs, loads and stores, a
// barrier. The barriers also order memory, as NCCL's documentation of the device API asks for.
#include <nccl_device.h>

#include "common/collective/device_api/peer_kernels.hpp"
#include "common/collective/device_api/peer_threads.hpp"
#include "common/device/cuda/this_thread.cuh"

namespace scalemark::collective::kernels {
namespace {

using device::kernels::this_thread;

constexpr int kThreads = 512;

/// Buffers of all ranks in a window.
struct InWindow {
  ncclWindow_t window;
  std::size_t offset;
  __device__ void* at(int peer) const { return ncclGetLsaPointer(window, offset, peer); }
};

/// Runs `work` when all GPUs have come to this kernel, and returns when all have done theirs.
template <typename Work>
__device__ void together(const ncclDevComm& comm, bool multimem, const Work& work) {
  const ncclCoopCta block;
  ncclLsaBarrierSession<ncclCoopCta> barrier(block, comm, ncclTeamTagLsa(), blockIdx.x, multimem);
  barrier.sync(block, cuda::memory_order_acq_rel);
  work();
  barrier.sync(block, cuda::memory_order_acq_rel);
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    lsa_allreduce_kernel(ncclDevComm comm, PeerCall call, bool is_aligned) {
  together(comm, false, [&] {
    allreduce_thread<T>(this_thread(), InWindow{call.in, call.in_offset},
                        InWindow{call.out, call.out_offset}, comm.lsaRank, comm.lsaSize, call.count,
                        is_aligned);
  });
}

template <typename T>
__global__ void __launch_bounds__(kThreads) lsa_alltoall_kernel(ncclDevComm comm, PeerCall call) {
  together(comm, false, [&] {
    alltoall_thread<T>(this_thread(), InWindow{call.in, call.in_offset},
                       InWindow{call.out, call.out_offset}, comm.lsaRank, comm.lsaSize, call.count);
  });
}

#if __CUDA_ARCH__ >= 900
// PTX, "multimem": the switch adds 16 bytes of all GPUs, in fp32, and stores 16 bytes in all. The
// instruction names the type, so a macro makes the function of each.
#define SCALEMARK_ADD_IN_SWITCH(Type, add)                                               \
  __device__ uint4 add_in_switch(const void* at, Type) {                                 \
    uint4 sum;                                                                           \
    asm volatile("multimem.ld_reduce.relaxed.sys.global." add " {%0, %1, %2, %3}, [%4];" \
                 : "=r"(sum.x), "=r"(sum.y), "=r"(sum.z), "=r"(sum.w)                    \
                 : "l"(at)                                                               \
                 : "memory");                                                            \
    return sum;                                                                          \
  }
SCALEMARK_ADD_IN_SWITCH(float, "add.v4.f32")
SCALEMARK_ADD_IN_SWITCH(__half, "add.acc::f32.v4.f16x2")
SCALEMARK_ADD_IN_SWITCH(__nv_bfloat16, "add.acc::f32.v4.bf16x2")
#undef SCALEMARK_ADD_IN_SWITCH

__device__ void store_in_all(void* at, uint4 value) {
  asm volatile("multimem.st.relaxed.sys.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(at),
               "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w)
               : "memory");
}
#endif

/// The rest behind the last 16 bytes is added by loads and stores.
template <typename T>
__global__ void __launch_bounds__(kThreads)
    multimem_allreduce_kernel(ncclDevComm comm, PeerCall call, bool is_aligned) {
#if __CUDA_ARCH__ >= 900
  together(comm, true, [&] {
    const std::size_t wide = is_aligned ? call.count / kWidest<T> : 0;
    const auto* const in =
        static_cast<const uint4*>(ncclGetLsaMultimemPointer(call.in, call.in_offset, comm));
    auto* const out =
        static_cast<uint4*>(ncclGetLsaMultimemPointer(call.out, call.out_offset, comm));
    const Thread thread = this_thread();
    const Share mine = share_of(wide, comm.lsaRank, comm.lsaSize);
    for (std::size_t i = mine.begin + thread.first; i < mine.end; i += thread.step)
      store_in_all(out + i, add_in_switch(in + i, T()));
    const std::size_t done = wide * kWidest<T> * sizeof(T);
    allreduce_thread<T>(thread, InWindow{call.in, call.in_offset + done},
                        InWindow{call.out, call.out_offset + done}, comm.lsaRank, comm.lsaSize,
                        call.count - wide * kWidest<T>, false);
  });
#else
  __trap();  // the GPU has multimem, but the program has no code for it
#endif
}

bool is_aligned(const PeerCall& call, std::size_t bytes) {
  return (call.in_offset | call.out_offset) % bytes == 0;
}

template <typename T>
void launch_allreduce(const ncclDevComm& comm, const PeerCall& call, bool multimem,
                      cudaStream_t stream) {
  const bool aligned = is_aligned(call, sizeof(uint4));
  if (multimem) {
    multimem_allreduce_kernel<T><<<kBlocks, kThreads, 0, stream>>>(comm, call, aligned);
  } else {
    lsa_allreduce_kernel<T><<<kBlocks, kThreads, 0, stream>>>(comm, call, aligned);
  }
}

}  // namespace

cudaError_t allreduce(const ncclDevComm& comm, const PeerCall& call, DType type, bool multimem,
                      cudaStream_t stream) {
  switch (type) {
    case DType::fp32:
      launch_allreduce<float>(comm, call, multimem, stream);
      break;
    case DType::fp16:
      launch_allreduce<__half>(comm, call, multimem, stream);
      break;
    case DType::bf16:
      launch_allreduce<__nv_bfloat16>(comm, call, multimem, stream);
      break;
    default:
      return cudaErrorInvalidValue;
  }
  return cudaGetLastError();
}

cudaError_t alltoall(const ncclDevComm& comm, const PeerCall& call, cudaStream_t stream) {
  if (is_aligned(call, sizeof(uint4)) && call.count % sizeof(uint4) == 0) {
    PeerCall wide = call;
    wide.count /= sizeof(uint4);
    lsa_alltoall_kernel<uint4><<<kBlocks, kThreads, 0, stream>>>(comm, wide);
  } else {
    lsa_alltoall_kernel<char><<<kBlocks, kThreads, 0, stream>>>(comm, call);
  }
  return cudaGetLastError();
}

}  // namespace scalemark::collective::kernels
