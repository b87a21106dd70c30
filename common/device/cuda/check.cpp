// SPDX-License-Identifier: Apache-2.0
// Chooses the exception for a CUDA error.
#include "common/device/cuda/check.hpp"

#include <fmt/format.h>

namespace scalemark::device {

void check(cudaError_t code, Where where) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // clears the error, so that the next check does not report it again
  const std::string text =
      located(fmt::format("CUDA {}: {}", cudaGetErrorName(code), cudaGetErrorString(code)), where);
  switch (code) {
    case cudaErrorMemoryAllocation:
      throw OutOfMemory(text);
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorDevicesUnavailable:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorNotSupported:
    case cudaErrorSystemNotReady:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorStubLibrary:
      throw Unavailable(text);
    default:
      throw Error(text);
  }
}

}  // namespace scalemark::device
