// SPDX-License-Identifier: Apache-2.0
// Whether one GPU reaches the memory of another one without the host.
#pragma once

#include <memory>

#include "common/device/device.hpp"

namespace scalemark::device {

/// Whether peer access is possible. Without it, copies between the two go through host memory.
bool can_access_peer(const Device& device, const Device& peer);

/// Lets kernels and copies of `device` reach the memory of `peer`, while it lives. What had been
/// enabled before, by MPI's library for instance, stays.
class PeerAccess {
 public:
  virtual ~PeerAccess() = default;
};

/// Throws Unavailable where the access is not possible, and in a build without CUDA.
std::unique_ptr<PeerAccess> enable_peer_access(const Device& device, const Device& peer);

}  // namespace scalemark::device
