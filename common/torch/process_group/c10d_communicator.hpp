// SPDX-License-Identifier: Apache-2.0
// Communication through LibTorch's c10d, as a training has it: the same routines, with the
// framework's own cost.
#pragma once

#include <memory>

#include "common/collective/communicator.hpp"
#include "common/device/device.hpp"
#include "common/mpi/comm.hpp"

namespace scalemark::torch_support {

/// Collective over `ranks`. c10d's gloo group, on host memory. Throws Unavailable where this build
/// has no gloo.
std::unique_ptr<collective::Communicator> make_gloo_communicator(const mpi::Comm& ranks,
                                                                 device::Device& device);

/// Collective over `ranks`. What data-parallel trainings talk through: c10d over MPI on a host,
/// over NCCL on a GPU. c10d reduces in place: a call that does not is preceded by a copy, which is
/// part of its time. Over MPI it has what trainings need: sums, broadcast, allgather and
/// reduce_scatter.
std::unique_ptr<collective::Communicator> make_c10d_communicator(const mpi::Comm& ranks,
                                                                 device::Device& device);

}  // namespace scalemark::torch_support
