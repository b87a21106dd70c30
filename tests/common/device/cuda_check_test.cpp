// SPDX-License-Identifier: Apache-2.0
// Which exception a CUDA error becomes; no GPU is needed.
#include <string>

#include <gtest/gtest.h>

#include "common/base/error.hpp"
#include "common/device/cuda/check.hpp"

namespace scalemark::device {
namespace {

TEST(CudaCheck, AMachineThatCannotRunTheProgramIsNoFailure) {
  for (const cudaError_t code :
       {cudaErrorNoDevice, cudaErrorInsufficientDriver, cudaErrorCallRequiresNewerDriver,
        cudaErrorCompatNotSupportedOnDevice, cudaErrorNoKernelImageForDevice,
        cudaErrorInvalidDeviceFunction, cudaErrorInvalidPtx, cudaErrorUnsupportedPtxVersion,
        cudaErrorJitCompilerNotFound})
    EXPECT_THROW(check(code), Unavailable) << cudaGetErrorName(code);
}

TEST(CudaCheck, TellsMemoryAndFailuresApart) {
  EXPECT_NO_THROW(check(cudaSuccess));
  EXPECT_THROW(check(cudaErrorMemoryAllocation), OutOfMemory);
  try {
    check(cudaErrorIllegalAddress);
    FAIL() << "nothing was thrown";
  } catch (const Unavailable&) {
    FAIL() << "a failure counts as unavailable";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("cudaErrorIllegalAddress"), std::string::npos);
  }
}

}  // namespace
}  // namespace scalemark::device
