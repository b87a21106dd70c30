// SPDX-License-Identifier: Apache-2.0
// Which exception a CUDA error becomes.
#include "common/device/cuda/check.hpp"

#include <fmt/format.h>

namespace scalemark::device {

void check(cudaError_t code, Where where) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // else the next check of a kernel launch would report this error again
  const std::string text =
      located(fmt::format("CUDA {}: {}", cudaGetErrorName(code), cudaGetErrorString(code)), where);
  switch (code) {
    case cudaErrorMemoryAllocation:
      throw OutOfMemory(text);
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorDevicesUnavailable:
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
