// SPDX-License-Identifier: Apache-2.0
// c10d's NCCL process group, bootstrapped over MPI.
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "common/torch/process_group/process_group.hpp"
#include "common/torch/process_group/rendezvous.hpp"
#include "common/torch/setup.hpp"

namespace scalemark::torch_support {

bool has_cuda() { return true; }

ProcessGroupPtr make_nccl_process_group(const mpi::Comm& ranks, c10::Device device) {
  const auto store = make_rendezvous(ranks).store;
  auto backend = c10::make_intrusive<c10d::ProcessGroupNCCL>(store, ranks.rank(), ranks.size());
  // Otherwise NCCL creates its communicator for the device of the first tensor.
  backend->setBoundDeviceId(device);
  auto group = c10::make_intrusive<c10d::ProcessGroup>(store, ranks.rank(), ranks.size());
  group->setBackend(c10::kCUDA, c10d::ProcessGroup::BackendType::NCCL, backend);
  group->setDefaultBackend(c10d::ProcessGroup::BackendType::NCCL);
  return group;
}

}  // namespace scalemark::torch_support
