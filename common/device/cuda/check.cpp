// SPDX-License-Identifier: Apache-2.0
// Chooses the exception for a CUDA error.
#include "common/device/cuda/check.hpp"

#include <string>

#include <fmt/format.h>

#include "common/base/error.hpp"
#include "common/device/cuda/check_launch.hpp"

namespace scalemark::device {
namespace {

std::string describe(cudaError_t code) {
  return fmt::format("CUDA {}: {}", cudaGetErrorName(code), cudaGetErrorString(code));
}

[[noreturn]] void raise(cudaError_t code, const std::string& text) {
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
    case cudaErrorCallRequiresNewerDriver:
    case cudaErrorCompatNotSupportedOnDevice:
    // Neither code for this GPU in the program, nor PTX that its driver can translate.
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorInvalidPtx:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorJitCompilerNotFound:
      throw Unavailable(text);
    default:
      throw Error(text);
  }
}

}  // namespace

void check(cudaError_t code, Where where) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // clears the error, so that the next check does not report it again
  raise(code, located(describe(code), where));
}

void check_launch(const char* kernel) {
  if (const cudaError_t code = cudaGetLastError(); code != cudaSuccess)
    raise(code, fmt::format("kernel {}: {}", kernel, describe(code)));
}

}  // namespace scalemark::device
