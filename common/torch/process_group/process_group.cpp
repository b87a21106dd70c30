// SPDX-License-Identifier: Apache-2.0
// Chooses the process group of a case.
#include "common/torch/process_group/process_group.hpp"

#include <fmt/format.h>

namespace scalemark::torch_support {
namespace {

/// As the watchdog's default: ranks that have not joined by then are considered lost.
constexpr std::chrono::seconds kGlooTimeout{300};

}  // namespace

void backend_axis(Benchmark& benchmark) {
  benchmark.axis("backend",
                 {.values = {"auto", "mpi", "nccl", "gloo"},
                  .defaults = {"auto"},
                  .implied = "auto",
                  .doc = "Library under the process group; auto: nccl on GPUs, else mpi"});
}

std::string resolve_backend(const std::string& backend, const std::string& device) {
  if (backend != "auto") return backend;
  return device == "cuda" ? "nccl" : "mpi";
}

std::string simplest_backend(const std::string& backend, const std::string& device) {
  return backend == resolve_backend("auto", device) ? "auto" : backend;
}

ProcessGroupPtr make_process_group(Case& c, c10::Device device, const std::string& backend) {
  c.throw_if_peer_failed();
  const std::string kind = device.is_cuda() ? "cuda" : "cpu";
  const std::string name = resolve_backend(backend, kind);
  if ((name == "nccl") != device.is_cuda()) {
    c.skip(fmt::format("backend={} is for {}, and device={}", name,
                       name == "nccl" ? "GPUs" : "CPUs", kind));
  }
  if (name == "nccl") return make_nccl_process_group(c.ranks(), device);
  if (name == "gloo") return make_gloo_process_group(c.ranks(), kGlooTimeout);
  return make_mpi_process_group(c.communicator("mpi"));
}

}  // namespace scalemark::torch_support
