// SPDX-License-Identifier: Apache-2.0
// Makes what the kernels need of a communicator, and chooses the kernel of a call.
#include "common/collective/device_api/nccl_kernels.hpp"

#include <fmt/format.h>
#include <nccl_device.h>  // needs nccl.h first

#include "common/base/error.hpp"
#include "common/collective/device_api/peer_kernels.hpp"
#include "common/collective/nccl_calls.hpp"
#include "common/collective/nccl_version.hpp"
#include "common/device/cuda/check.hpp"

namespace scalemark::collective {
namespace {

/// The layout of what kernels get changes with NCCL's version.
void require_same_version() {
  const int loaded = loaded_nccl_version();
  if (loaded != NCCL_VERSION_CODE)
    throw Unavailable(fmt::format("kernels over NCCL's device API were built for NCCL {}, not {}",
                                  nccl_version_text(NCCL_VERSION_CODE), nccl_version_text(loaded)));
}

class DeviceKernels final : public NcclKernels {
 public:
  DeviceKernels(ncclComm_t comm, DeviceApi api) : comm_(comm), api_(api) {
    require_same_version();
    ncclDevCommRequirements needs = {};
    needs.lsaBarrierCount = kernels::kBlocks;
    needs.lsaMultimem = api == DeviceApi::multimem;
    const ncclResult_t code = ncclDevCommCreate(comm, &needs, &device_);
    if (code == ncclInvalidArgument && needs.lsaMultimem)
      throw Unavailable("these GPUs have no switch that adds (multimem)");
    if (code != ncclSuccess) throw Error(describe_nccl(code, comm));
    if (device_.lsaSize == device_.nRanks) return;
    ncclDevCommDestroy(comm, &device_);
    throw Unavailable(fmt::format("GPUs load and store in the memory of {} of {} ranks only",
                                  device_.lsaSize, device_.nRanks));
  }
  ~DeviceKernels() override {
    if (!abandoned_) ncclDevCommDestroy(comm_, &device_);
  }
  DeviceKernels(const DeviceKernels&) = delete;
  DeviceKernels& operator=(const DeviceKernels&) = delete;

  void enqueue(const Call& call, const WindowPlace& in, const WindowPlace& out,
               cudaStream_t stream) override {
    kernels::PeerCall peers = {in.window, out.window, in.offset, out.offset, call.count};
    if (call.routine == Routine::allreduce) {
      device::check(
          kernels::allreduce(device_, peers, call.type, api_ == DeviceApi::multimem, stream));
    } else {
      peers.count *= size_of(call.type);
      device::check(kernels::alltoall(device_, peers, stream));
    }
  }
  void abandon() override { abandoned_ = true; }

 private:
  ncclComm_t comm_;
  DeviceApi api_;
  ncclDevComm device_ = {};
  bool abandoned_ = false;
};

}  // namespace

std::unique_ptr<NcclKernels> make_nccl_kernels(ncclComm_t comm, DeviceApi api) {
  return std::make_unique<DeviceKernels>(comm, api);
}

}  // namespace scalemark::collective
