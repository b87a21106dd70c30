// SPDX-License-Identifier: Apache-2.0
// NCCL's device API: kernels that load and store in the memory of other ranks. Those that our
// programs have run here, with the text that nvcc compiles for a thread.
#include <cstddef>
#include <functional>

#include <cuda_runtime_api.h>
#include <nccl.h>
#include <nccl_device.h>

#include "common/collective/device_api/peer_kernels.hpp"
#include "common/collective/device_api/peer_threads.hpp"
#include "tests/gpu/software/cudart/hooks.hpp"
#include "tests/gpu/software/nccl/communicator.hpp"
#include "tests/gpu/software/nccl/entry.hpp"
#include "tests/gpu/software/nccl/failure.hpp"
#include "tests/gpu/software/nccl/settings.hpp"
#include "tests/gpu/software/nccl/window.hpp"

using namespace scalemark::software_nccl;  // NOLINT(google-build-using-namespace)

namespace {

namespace kernels = scalemark::collective::kernels;
using kernels::PeerCall;
using scalemark::software_gpu::Launch;

/// A communicator as kernels get it: its address stands where NCCL keeps a table of its own.
Communicator& ranks_of(const ncclDevComm& comm) {
  return *reinterpret_cast<Communicator*>(comm.windowTable);
}

struct InWindow {
  const Window& window;
  std::size_t offset;
  void* at(int rank) const { return window.at(rank) + offset; }
};

/// Runs `thread` for each thread of a launch, with the buffers of the call.
template <typename Thread>
void run(const Launch& launch, const ncclDevComm& comm, const PeerCall& call, Thread&& thread) {
  const InWindow in{*reinterpret_cast<const Window*>(call.in), call.in_offset};
  const InWindow out{*reinterpret_cast<const Window*>(call.out), call.out_offset};
  ranks_of(comm).run_kernel([&] {
    for (std::size_t i = 0; i < launch.threads; ++i)
      thread(kernels::Thread{i, launch.threads}, in, out);
  });
}

template <typename T>
void add_allreduce(const char* name) {
  __cudaSoftwareAddKernel(name, [](const Launch& launch, void** arguments) {
    return [launch, comm = *static_cast<ncclDevComm*>(arguments[0]),
            call = *static_cast<PeerCall*>(arguments[1]),
            is_aligned = *static_cast<bool*>(arguments[2])] {
      run(launch, comm, call, [&](auto thread, const auto& in, const auto& out) {
        kernels::allreduce_thread<T>(thread, in, out, comm.lsaRank, comm.lsaSize, call.count,
                                     is_aligned);
      });
    };
  });
}

template <typename T>
void add_alltoall(const char* name) {
  __cudaSoftwareAddKernel(name, [](const Launch& launch, void** arguments) {
    return [launch, comm = *static_cast<ncclDevComm*>(arguments[0]),
            call = *static_cast<PeerCall*>(arguments[1])] {
      run(launch, comm, call, [&](auto thread, const auto& in, const auto& out) {
        kernels::alltoall_thread<T>(thread, in, out, comm.lsaRank, comm.lsaSize, call.count);
      });
    };
  });
}

/// Before the program registers its kernels: this library is loaded first.
[[maybe_unused]] const bool is_added = [] {
  add_allreduce<float>("lsa_allreduce_kernel<float>");
  add_allreduce<__half>("lsa_allreduce_kernel<__half>");
  add_allreduce<__nv_bfloat16>("lsa_allreduce_kernel<__nv_bfloat16>");
  add_alltoall<uint4>("lsa_alltoall_kernel<uint4>");
  add_alltoall<char>("lsa_alltoall_kernel<char>");
  return true;
}();

}  // namespace

extern "C" {

/// There is no switch that adds.
ncclResult_t ncclDevCommCreate(ncclComm_t comm, const ncclDevCommRequirements_t* needs,
                               ncclDevComm_t* made) {
  return call(true, [&] {
    require(needs != nullptr && made != nullptr, ncclInvalidArgument,
            "DevCommCreate : an argument is NULL");
    require(!needs->lsaMultimem, ncclInvalidArgument,
            "Multicast support requested for team but none available on system.");
    require(needs->lsaBarrierCount >= kernels::kBlocks, ncclInvalidArgument,
            "each block of a kernel needs a barrier");
    const auto ranks = find(comm);
    ranks->agree(0);
    *made = {};
    made->rank = ranks->rank();
    made->nRanks = ranks->size();
    made->lsaSize = settings().reach > 0 ? static_cast<int>(settings().reach) : ranks->size();
    made->lsaRank = ranks->rank() % made->lsaSize;
    made->windowTable = reinterpret_cast<ncclDevCommWindowTable*>(ranks.get());
    ++ranks->registered;
  });
}
ncclResult_t ncclDevCommDestroy(ncclComm_t comm, const ncclDevComm_t* made) {
  return call(false, [&] {
    require(made != nullptr, ncclInvalidArgument, "DevCommDestroy : an argument is NULL");
    --find(comm)->registered;
  });
}

}  // extern "C"
