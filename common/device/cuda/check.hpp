// SPDX-License-Identifier: Apache-2.0
// CUDA runtime errors as exceptions.
#pragma once

#include <cuda_runtime_api.h>

#include "common/base/error.hpp"

namespace scalemark::device {

/// Throws unless `code` is cudaSuccess: OutOfMemory, Unavailable (no driver, no device, device
/// taken), else Error; the text has CUDA's name and description of the error.
void check(cudaError_t code, Where where = {});

}  // namespace scalemark::device
