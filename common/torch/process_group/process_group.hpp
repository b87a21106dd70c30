// SPDX-License-Identifier: Apache-2.0
// c10d process groups over the ranks of a case, for LibTorch's data parallelism.
#pragma once

#include <chrono>
#include <string>

#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "common/collective/communicator.hpp"
#include "common/core/benchmark.hpp"
#include "common/core/case.hpp"
#include "common/mpi/comm.hpp"

namespace scalemark::torch_support {

using ProcessGroupPtr = c10::intrusive_ptr<c10d::ProcessGroup>;

/// Declares axis `backend`: the library under the process group.
void backend_axis(Benchmark& benchmark);

/// Resolves `backend` on `device` (cpu or cuda): never returns auto.
std::string resolve_backend(const std::string& backend, const std::string& device);

/// Replaces `backend` of a point by auto where both are equivalent, so that one experiment has one
/// key.
std::string simplest_backend(const std::string& backend, const std::string& device);

/// Collective. Skips the case if `backend` is unavailable for tensors on `device`. The group must
/// not outlive the case.
ProcessGroupPtr make_process_group(Case& c, c10::Device device,
                                   const std::string& backend = "auto");

/// Collective. All-reduce, reduce-scatter (sums), broadcast and all-gather of host tensors by
/// nonblocking operations of `comm`, which must outlive the group. Operations progress only inside
/// MPI calls: when the next one starts, and at the end of a backward pass, where all complete.
ProcessGroupPtr make_mpi_process_group(collective::Communicator& comm);

/// Collective. c10d's NCCL group. Throws Unavailable if this build's LibTorch has no CUDA support.
ProcessGroupPtr make_nccl_process_group(const mpi::Comm& ranks, c10::Device device);

/// `stream` of a GPU as LibTorch's stream. Throws Unavailable if this build's LibTorch has no CUDA
/// support.
c10::Stream torch_stream(const device::Stream& stream, c10::Device device);

/// Whether this build has LibTorch's gloo process group.
bool has_gloo();

/// Collective. c10d's gloo group for host tensors, over TCP (loopback if all ranks are on one
/// node). If a rank does not join an operation, it throws on the others when that rank closes its
/// connections, at the latest after `timeout`. From then on this process ignores SIGPIPE. Throws
/// Unavailable if this build has no gloo.
ProcessGroupPtr make_gloo_process_group(const mpi::Comm& ranks, std::chrono::milliseconds timeout);

}  // namespace scalemark::torch_support
