// SPDX-License-Identifier: Apache-2.0
// Memory of all kinds on a machine with a CUDA device.
#pragma once

#include <cstddef>
#include <string>

#include "common/device/memory.hpp"

namespace scalemark::device {

/// Why the current device has no memory of `kind`, in one line; empty if it has.
std::string why_not_cuda(MemoryKind kind, int device);

/// Device::allocate on the current CUDA device.
Buffer allocate_cuda(std::size_t bytes, MemoryKind kind, int numa_node);

}  // namespace scalemark::device
