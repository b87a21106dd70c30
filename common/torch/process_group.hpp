// SPDX-License-Identifier: Apache-2.0
// c10d process groups over the ranks of a case: what LibTorch's data parallelism talks through.
#pragma once

#include <c10/core/Device.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "common/collective/communicator.hpp"
#include "common/core/case.hpp"
#include "common/mpi/comm.hpp"

namespace scalemark::torch_support {

using ProcessGroupPtr = c10::intrusive_ptr<c10d::ProcessGroup>;

/// Collective. NCCL where `device` is a GPU, else MPI. Skips the case where that is not to be had.
/// The group must not outlive the case.
ProcessGroupPtr make_process_group(Case& c, c10::Device device);

/// Collective. All-reduce (sum) and broadcast of host tensors by nonblocking operations of `comm`,
/// which must outlive the group. An operation moves on while MPI is called: when the next one
/// starts, and at the end of a backward pass, when all are completed.
ProcessGroupPtr make_mpi_process_group(collective::Communicator& comm);

/// Collective. c10d's NCCL group; ranks find each other through a store on rank 0's host, whose
/// address goes over MPI. Throws Unavailable where this build's LibTorch has no CUDA part.
ProcessGroupPtr make_nccl_process_group(const mpi::Comm& ranks, c10::Device device);

}  // namespace scalemark::torch_support
