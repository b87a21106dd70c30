// SPDX-License-Identifier: Apache-2.0
// c10d's NCCL process group, bootstrapped over MPI.
#include <array>
#include <charconv>
#include <string>

#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <unistd.h>

#include "common/base/error.hpp"
#include "common/torch/process_group.hpp"
#include "common/torch/setup.hpp"

namespace scalemark::torch_support {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) throw Error("gethostname failed");
  return name.data();
}

/// Collective. A key-value store that rank 0 serves, on a port that the system chose.
c10::intrusive_ptr<c10d::Store> make_store(const mpi::Comm& ranks) {
  const bool one_node = ranks.split_node().size() == ranks.size();
  const std::string host = ranks.broadcast(one_node ? "127.0.0.1" : host_name());
  c10d::TCPStoreOptions options;
  options.isServer = ranks.rank() == 0;
  options.waitWorkers = false;
  options.port = 0;
  c10::intrusive_ptr<c10d::TCPStore> store;
  if (options.isServer) store = c10::make_intrusive<c10d::TCPStore>(host, options);
  const std::string port =
      ranks.broadcast(store ? std::to_string(store->getPort()) : std::string());
  if (!store) {
    if (std::from_chars(port.data(), port.data() + port.size(), options.port).ec != std::errc()) {
      throw Error("rank 0 sent no port of its store: '" + port + "'");
    }
    store = c10::make_intrusive<c10d::TCPStore>(host, options);
  }
  return store;
}

}  // namespace

bool has_cuda() { return true; }

ProcessGroupPtr make_nccl_process_group(const mpi::Comm& ranks, c10::Device device) {
  const auto store = make_store(ranks);
  auto backend = c10::make_intrusive<c10d::ProcessGroupNCCL>(store, ranks.rank(), ranks.size());
  // Without it NCCL's communicator is made for the device of the first tensor it sees.
  backend->setBoundDeviceId(device);
  auto group = c10::make_intrusive<c10d::ProcessGroup>(store, ranks.rank(), ranks.size());
  group->setBackend(c10::kCUDA, c10d::ProcessGroup::BackendType::NCCL, backend);
  group->setDefaultBackend(c10d::ProcessGroup::BackendType::NCCL);
  return group;
}

}  // namespace scalemark::torch_support
