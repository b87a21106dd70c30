// SPDX-License-Identifier: Apache-2.0
// Converts CUDA runtime errors to exceptions.
#pragma once

#include <cuda_runtime_api.h>

#include "common/base/error.hpp"

namespace scalemark::device {

/// Throws unless `code` is cudaSuccess: OutOfMemory, Unavailable (no driver, no device, no code for
/// it, device in use), otherwise Error. The text contains CUDA's name and description of the error.
void check(cudaError_t code, Where where = {});

}  // namespace scalemark::device
