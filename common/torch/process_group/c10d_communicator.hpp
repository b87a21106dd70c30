// SPDX-License-Identifier: Apache-2.0
// Communication through LibTorch's c10d as in training: the same collectives, including the
// framework's overhead.
#pragma once

#include <memory>

#include "common/collective/communicator.hpp"
#include "common/device/device.hpp"
#include "common/mpi/comm.hpp"

namespace scalemark::torch_support {

/// Collective over `ranks`. c10d's gloo group on host memory. Throws Unavailable if this build has
/// no gloo.
std::unique_ptr<collective::Communicator> make_gloo_communicator(const mpi::Comm& ranks,
                                                                 device::Device& device);

/// Collective over `ranks`. The c10d group of data-parallel training: over MPI on a host, over NCCL
/// on a GPU. c10d reduces in place: other calls first copy, and the copy is part of their time.
/// Over MPI only sums, broadcast, allgather and reduce_scatter are available.
std::unique_ptr<collective::Communicator> make_c10d_communicator(const mpi::Comm& ranks,
                                                                 device::Device& device);

}  // namespace scalemark::torch_support
