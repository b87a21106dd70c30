// SPDX-License-Identifier: Apache-2.0
// Lets other replaced libraries work in streams and on device memory.
#include "tests/gpu/software/cudart/hooks.hpp"

#include <cstddef>

#include "tests/gpu/software/cudart/api_handles.hpp"
#include "tests/gpu/software/cudart/call.hpp"
#include "tests/gpu/software/cudart/copy.hpp"
#include "tests/gpu/software/cudart/submit.hpp"

using namespace scalemark::software_gpu;  // NOLINT(google-build-using-namespace)

extern "C" {

cudaError_t __cudaSoftwareDevice(int* place, int* number) {
  return call(Needs::context, [&] {
    *place = current_device().place();
    *number = current_index();
  });
}

cudaError_t __cudaSoftwareStreamDevice(cudaStream_t stream, int* number) {
  return call(Needs::context, [&] { *number = stream_of(stream)->device; });
}

cudaError_t __cudaSoftwareSubmit(cudaStream_t stream, const std::function<cudaError_t()>& work,
                                 bool* captured) {
  return call(Needs::context, [&] {
    const Marker made = submit(stream_of(stream), [work] {
      const cudaError_t code = work();
      require(code == cudaSuccess, code);
    });
    *captured = made.queue == nullptr;
  });
}

void* __cudaSoftwareReach(const void* data, std::size_t bytes, int number) {
  try {
    void* first = reach_from_kernel(data, number);
    if (bytes > 1) reach_from_kernel(static_cast<const std::byte*>(data) + bytes - 1, number);
    return first;
  } catch (const Failure&) {
    return nullptr;
  }
}

cudaError_t __cudaSoftwareFile(const void* data, int* file, std::uint64_t* offset) {
  return call(Needs::context, [&] {
    const auto block = Blocks::all().find(data);
    require(block && block->kind == Kind::device, cudaErrorInvalidValue);
    const DeviceMemory& memory = device_at(block->device).memory();
    *file = memory.file();
    *offset = memory.offset(reinterpret_cast<std::uintptr_t>(data));
  });
}

void __cudaSoftwareAddKernel(const char* name, const Prepare& prepare) {
  add_kernel(name, prepare);
}

void __cudaSoftwareListen(const Listener* listener) { listen(listener); }

std::uint64_t __cudaSoftwareNow() { return now_ns(); }

}  // extern "C"
