// SPDX-License-Identifier: Apache-2.0
// c10d's NCCL process group, bootstrapped over MPI.
#include <exception>

#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "common/base/no_throw.hpp"
#include "common/collective/nccl_version.hpp"
#include "common/torch/process_group/process_group.hpp"
#include "common/torch/process_group/rendezvous.hpp"
#include "common/torch/setup.hpp"

namespace scalemark::torch_support {
namespace {

/// Ends its communicators in order; without that, c10d's threads still use them while they are
/// destroyed. After an error other ranks may not take part any more: then it aborts.
class NcclGroup final : public c10d::ProcessGroupNCCL {
 public:
  using ProcessGroupNCCL::ProcessGroupNCCL;
  void abort() override {
    ended_ = true;
    ProcessGroupNCCL::abort();
  }
  ~NcclGroup() override {
    if (ended_) return;
    ignore_errors("end a process group of NCCL", [this] {
      if (std::uncaught_exceptions() > 0)
        ProcessGroupNCCL::abort();
      else
        shutdown();
    });
  }

 private:
  bool ended_ = false;
};

}  // namespace

bool has_cuda() { return true; }

ProcessGroupPtr make_nccl_process_group(const mpi::Comm& ranks, c10::Device device) {
  int version = 0;
  if (ncclGetVersion(&version) != ncclSuccess) version = 0;
  collective::require_nccl(ranks, version, NCCL_VERSION_CODE);
  const auto store = make_rendezvous(ranks).store;
  auto backend = c10::make_intrusive<NcclGroup>(store, ranks.rank(), ranks.size());
  backend->setBoundDeviceId(device);
  // c10d creates the communicator in the first operation otherwise. That operation may be one of
  // two ranks only, and the communicator needs all of them.
  backend->eagerConnectSingleDevice(device);
  auto group = c10::make_intrusive<c10d::ProcessGroup>(store, ranks.rank(), ranks.size());
  group->setBackend(c10::kCUDA, c10d::ProcessGroup::BackendType::NCCL, backend);
  group->setDefaultBackend(c10d::ProcessGroup::BackendType::NCCL);
  return group;
}

c10::Stream torch_stream(const device::Stream& stream, c10::Device device) {
  return c10::cuda::getStreamFromExternal(static_cast<cudaStream_t>(stream.native()),
                                          device.index());
}

}  // namespace scalemark::torch_support
