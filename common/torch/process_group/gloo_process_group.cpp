// SPDX-License-Identifier: Apache-2.0
// c10d's gloo process group, bootstrapped over MPI.
#include <csignal>

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "common/torch/process_group/process_group.hpp"
#include "common/torch/process_group/rendezvous.hpp"

namespace scalemark::torch_support {

using c10d::ProcessGroupGloo;

bool has_gloo() { return true; }

ProcessGroupPtr make_gloo_process_group(const mpi::Comm& ranks, std::chrono::milliseconds timeout) {
  // Gloo writes to its sockets with writev(): by default, SIGPIPE would end this process when
  // another rank has closed its connection. Ignored, the write fails and the operation throws.
  std::signal(SIGPIPE, SIG_IGN);
  const Rendezvous meeting = make_rendezvous(ranks);
  const auto options = ProcessGroupGloo::Options::create(timeout);
  // Connecting waits for the other ranks: all must reach this point.
  all_or_none(ranks, [&] {
    options->devices.push_back(
        ProcessGroupGloo::createDeviceForHostname(meeting.address, /*lazyInit=*/false));
  });
  c10::intrusive_ptr<ProcessGroupGloo> backend;
  all_or_none(ranks, [&] {
    backend =
        c10::make_intrusive<ProcessGroupGloo>(meeting.store, ranks.rank(), ranks.size(), options);
  });
  auto group = c10::make_intrusive<c10d::ProcessGroup>(meeting.store, ranks.rank(), ranks.size());
  group->setBackend(c10::kCPU, c10d::ProcessGroup::BackendType::GLOO, backend);
  group->setDefaultBackend(c10d::ProcessGroup::BackendType::GLOO);
  return group;
}

}  // namespace scalemark::torch_support
