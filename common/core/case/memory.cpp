// SPDX-License-Identifier: Apache-2.0
// Allocating the memory of a case.
#include "common/core/case/memory.hpp"

#include <algorithm>

#include "common/core/case/endings.hpp"
#include "common/core/cuda_aware/transfer.hpp"
#include "common/core/exchange.hpp"
#include "common/core/session.hpp"

namespace scalemark {

device::Buffer CaseMemory::alloc(std::size_t bytes) const {
  return hardware_.device().allocate(
      std::max<std::size_t>(bytes, 1),
      hardware_.is_on_gpu() ? device::MemoryKind::device : device::MemoryKind::pageable);
}

const mpi::SharedWindow& CaseMemory::share(std::size_t bytes) {
  throw_if_peer_failed(context_.ranks());
  shared_.push_back(
      std::make_unique<mpi::SharedWindow>(context_.session.numa_ranks(context_.ranks()), bytes));
  return *shared_.back();
}

collective::OneSided& CaseMemory::window(std::size_t bytes, collective::WindowCreation creation) {
  throw_if_peer_failed(context_.ranks());
  if (!hardware_.is_on_gpu()) {
    windows_.push_back(collective::make_mpi_window(context_.ranks(), bytes, creation));
    return *windows_.back();
  }
  if (!is_direct(context_.result.params)) {
    throw Skip{"one-sided windows in device memory cannot be staged; " +
               context_.session.device_path(collective::DeviceUse::one_sided).why};
  }
  windows_.push_back(
      collective::make_mpi_device_window(context_.ranks(), bytes, hardware_.device()));
  return *windows_.back();
}

void CaseMemory::state_device_path(collective::DeviceUse use) const {
  const bool by_mpi = context_.result.params.text("backend", "") == "mpi";
  if (by_mpi && hardware_.is_on_gpu())
    recorder_.fact("cuda_aware", context_.session.device_path(use).why);
}

}  // namespace scalemark
