// SPDX-License-Identifier: Apache-2.0
// Names and texts of the errors that pretend devices report or are told to report.
#include "tests/gpu/software/cudart/failure.hpp"

#include <algorithm>
#include <iterator>

namespace scalemark::software_gpu {
namespace {

struct Entry {
  cudaError_t code;
  const char *name, *text;
};

#define SCALEMARK_ERROR(code, text) \
  { code, #code, text }
constexpr Entry kErrors[] = {
    SCALEMARK_ERROR(cudaSuccess, "no error"),
    SCALEMARK_ERROR(cudaErrorInvalidValue, "invalid argument"),
    SCALEMARK_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    SCALEMARK_ERROR(cudaErrorInitializationError, "initialization error"),
    SCALEMARK_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    SCALEMARK_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    SCALEMARK_ERROR(cudaErrorInsufficientDriver,
                    "CUDA driver version is insufficient for CUDA runtime version"),
    SCALEMARK_ERROR(cudaErrorDevicesUnavailable,
                    "CUDA-capable device(s) is/are busy or unavailable"),
    SCALEMARK_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    SCALEMARK_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    SCALEMARK_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    SCALEMARK_ERROR(cudaErrorNoKernelImageForDevice,
                    "no kernel image is available for execution on the device"),
    SCALEMARK_ERROR(cudaErrorECCUncorrectable, "uncorrectable ECC error encountered"),
    SCALEMARK_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    SCALEMARK_ERROR(cudaErrorIllegalState,
                    "the operation cannot be performed in the present state"),
    SCALEMARK_ERROR(cudaErrorNotReady, "device not ready"),
    SCALEMARK_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    SCALEMARK_ERROR(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    SCALEMARK_ERROR(cudaErrorHostMemoryAlreadyRegistered,
                    "part or all of the requested memory range is already mapped"),
    SCALEMARK_ERROR(cudaErrorHostMemoryNotRegistered,
                    "pointer does not correspond to a registered memory region"),
    SCALEMARK_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    SCALEMARK_ERROR(cudaErrorNotSupported, "operation not supported"),
    SCALEMARK_ERROR(cudaErrorSystemNotReady, "system not yet initialized"),
    SCALEMARK_ERROR(cudaErrorStreamCaptureUnsupported,
                    "operation not permitted when stream is capturing"),
    SCALEMARK_ERROR(cudaErrorStreamCaptureInvalidated,
                    "operation failed due to a previous error during capture"),
    SCALEMARK_ERROR(cudaErrorStreamCaptureMerge,
                    "operation would result in a merge of separate capture sequences"),
    SCALEMARK_ERROR(cudaErrorStreamCaptureUnmatched,
                    "capture was not ended in the same stream as it began"),
    SCALEMARK_ERROR(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    SCALEMARK_ERROR(cudaErrorStreamCaptureIsolation,
                    "dependency created on uncaptured work in another stream"),
    SCALEMARK_ERROR(cudaErrorStreamCaptureImplicit,
                    "operation would make the legacy stream depend on a capturing blocking stream"),
    SCALEMARK_ERROR(cudaErrorCapturedEvent,
                    "operation not permitted on an event last recorded in a capturing stream"),
    SCALEMARK_ERROR(cudaErrorStreamCaptureWrongThread,
                    "attempt to terminate a thread-local capture sequence from another thread"),
    SCALEMARK_ERROR(cudaErrorPeerAccessUnsupported,
                    "peer access is not supported between these two devices"),
    SCALEMARK_ERROR(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    SCALEMARK_ERROR(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    SCALEMARK_ERROR(cudaErrorUnknown, "unknown error"),
};
#undef SCALEMARK_ERROR

const Entry* find(cudaError_t code) {
  const auto* found = std::ranges::find(kErrors, code, &Entry::code);
  return found == std::end(kErrors) ? nullptr : found;
}

}  // namespace

const char* name_of(cudaError_t code) {
  const Entry* entry = find(code);
  return entry == nullptr ? "unrecognized error code" : entry->name;
}

const char* text_of(cudaError_t code) {
  const Entry* entry = find(code);
  return entry == nullptr ? "unrecognized error code" : entry->text;
}

}  // namespace scalemark::software_gpu
