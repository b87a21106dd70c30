// SPDX-License-Identifier: Apache-2.0
// Memory kinds on a machine with a CUDA device.
#pragma once

#include <cstddef>
#include <string>

#include "common/device/memory.hpp"

namespace scalemark::device {

/// Reason why the current device does not support memory of `kind`, in one line; empty if it does.
std::string why_not_cuda(MemoryKind kind, int device);

/// Device::allocate() for the current CUDA device.
Buffer allocate_cuda(std::size_t bytes, MemoryKind kind, int numa_node);

}  // namespace scalemark::device
