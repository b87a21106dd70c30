// SPDX-License-Identifier: Apache-2.0
// Entry points that nvcc's code calls: kernels are registered before main(), and launched.
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <cuda_runtime_api.h>

#include "tests/gpu/software/cudart/api_handles.hpp"
#include "tests/gpu/software/cudart/call.hpp"
#include "tests/gpu/software/cudart/kernels.hpp"
#include "tests/gpu/software/cudart/recorder.hpp"
#include "tests/gpu/software/cudart/settings.hpp"
#include "tests/gpu/software/cudart/submit.hpp"

using namespace scalemark::software_gpu;  // NOLINT(google-build-using-namespace)

namespace {

struct Configuration {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
};
thread_local std::vector<Configuration> pushed;

/// By the address of the host function that stands for a kernel.
std::map<const void*, std::unique_ptr<Kernel>>& kernels() {
  static auto& all = *new std::map<const void*, std::unique_ptr<Kernel>>;
  return all;
}
std::mutex& kernels_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

void check_size(dim3 grid, dim3 block) {
  const std::size_t threads = std::size_t{block.x} * block.y * block.z;
  require(threads > 0 && threads <= 1024 && grid.x > 0 && grid.y > 0 && grid.z > 0,
          cudaErrorInvalidConfiguration);
}

bool is_captured(const Stream& stream) {
  const std::lock_guard lock(state());
  return stream.capture != nullptr;
}

void launch(const Kernel& kernel, dim3 grid, dim3 block, void** arguments, cudaStream_t stream) {
  require(!settings().no_kernel_image, cudaErrorNoKernelImageForDevice);
  check_size(grid, block);
  if (!kernel.prepare) {
    std::fprintf(stderr, "software GPU: kernel '%s' has no code for the host\n",
                 kernel.name.c_str());
    throw Failure{cudaErrorUnknown};  // not an error that skips a case
  }
  const auto where = stream_of(stream);
  require(where->device == current_index(), cudaErrorInvalidResourceHandle);
  Device& device = current_device();
  // A kernel is loaded at its first launch, which may wait for the whole device. A capture does not
  // allow that.
  if (device.loads(&kernel)) {
    require(!is_captured(*where), cudaErrorStreamCaptureUnsupported);
    device.drain();
  }
  const std::size_t threads = std::size_t{grid.x} * grid.y * grid.z * block.x * block.y * block.z;
  submit(where, recorded_kernel(kernel.name.c_str(), where->device,
                                kernel.prepare({threads, where->device}, arguments)));
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 1; }

void __cudaRegisterFunction(void**, const char* function, char*, const char* name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  const std::lock_guard lock(kernels_mutex());
  kernels()[function] = std::make_unique<Kernel>(kernel_of(name));
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  return call(Needs::driver, [&] {
    const std::lock_guard lock(kernels_mutex());
    const auto found = kernels().find(function);
    require(found != kernels().end(), cudaErrorInvalidDeviceFunction);
    *kernel = reinterpret_cast<cudaKernel_t>(found->second.get());
  });
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                     CUstream_st* stream) {
  pushed.push_back({grid, block, shared, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  return call(Needs::driver, [&] {
    require(!pushed.empty(), cudaErrorInvalidConfiguration);
    const Configuration& last = pushed.back();
    *grid = last.grid;
    *block = last.block;
    *shared = last.shared;
    *static_cast<cudaStream_t*>(stream) = last.stream;
    pushed.pop_back();
  });
}

/// As if each multiprocessor held 2,048 threads; kernels' registers and shared memory do not count.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks,
                                                                   const void* function,
                                                                   int threads, std::size_t,
                                                                   unsigned) {
  return call(Needs::context, [&] {
    const std::lock_guard lock(kernels_mutex());
    require(kernels().contains(function), cudaErrorInvalidDeviceFunction);
    require(!settings().no_kernel_image, cudaErrorNoKernelImageForDevice);
    require(threads > 0 && threads <= 1024, cudaErrorInvalidValue);
    *blocks = 2048 / threads;
  });
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t, cudaStream_t stream) {
  return call(Needs::context, [&] {
    require(kernel != nullptr, cudaErrorInvalidResourceHandle);
    launch(*reinterpret_cast<const Kernel*>(kernel), grid, block, arguments, stream);
  });
}

}  // extern "C"
