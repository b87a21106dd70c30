// SPDX-License-Identifier: Apache-2.0
// Whether MPI really moves device memory: tried, and every byte looked at.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/device/device.hpp"
#include "common/mpi/comm.hpp"

namespace scalemark::collective {

/// Kinds of operations that a library takes device memory for or not, most common first: messages,
/// blocking collectives, put and get, and collectives that return at once. Open MPI 4 takes device
/// memory in messages and blocking collectives, and in others only by some transports
/// (https://www.open-mpi.org/faq/?category=runcuda).
enum class DeviceUse { messages, collectives, one_sided, nonblocking_collectives };
inline constexpr std::array kDeviceUses = {DeviceUse::messages, DeviceUse::collectives,
                                           DeviceUse::one_sided,
                                           DeviceUse::nonblocking_collectives};
std::string_view to_string(DeviceUse use);

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
