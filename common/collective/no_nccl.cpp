// SPDX-License-Identifier: Apache-2.0
// The NCCL back end in a build without NCCL: the reason.
#include "common/base/error.hpp"
#include "common/collective/communicator.hpp"

namespace scalemark::collective {

std::unique_ptr<Communicator> make_nccl_communicator(const mpi::Comm&, device::Device&) {
  throw Unavailable("built without NCCL");
}

std::uint64_t time_nccl_creation(const mpi::Comm&, device::Device&) {
  throw Unavailable("built without NCCL");
}

std::string nccl_version() { return {}; }

}  // namespace scalemark::collective
