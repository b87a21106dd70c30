// SPDX-License-Identifier: Apache-2.0
// Tests whether MPI really moves device memory, and checks every byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/collective/types.hpp"
#include "common/device/device.hpp"
#include "common/mpi/comm.hpp"

namespace scalemark::collective {

/// Over all ranks, and equal on them.
struct ProbeResult {
  std::uint64_t checked = 0, wrong = 0;  ///< bytes
  std::string first_wrong;               ///< "MPI_Sendrecv of 65536 B"; empty if nothing was
};

/// Collective over `ranks`, two or more, with a GPU each. Hands device memory to MPI in sizes from
/// 8 B to 4 MiB, so that eager and rendezvous protocols come in, along the ring of the ranks or
/// between all of them, and compares what arrives with what its sender has. A library that cannot
/// do it may end the process: to be called where nothing is lost. Throws Unavailable, on all ranks
/// alike, where MPI refuses (no window), Error where it fails on this one.
ProbeResult probe_device_memory(DeviceUse use, const mpi::Comm& ranks, device::Device& device,
                                device::Stream& stream);

}  // namespace scalemark::collective
