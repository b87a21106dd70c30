// SPDX-License-Identifier: Apache-2.0
// Prepares LibTorch for a case.
#include "common/torch/setup.hpp"

#include <string>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include "common/base/error.hpp"
#include "common/base/no_throw.hpp"
#include "common/torch/cpu_memory.hpp"
#include "common/torch/cuda_memory.hpp"

namespace scalemark::torch_support {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Whether LibTorch's CUDA libraries say that they cannot run on this machine.
bool is_unsupported(const std::string& text) {
  for (const char* reason : {"no kernel image is available", "driver version is insufficient",
                             "NVIDIA driver on your system is too old"}) {
    if (text.find(reason) != std::string::npos) return true;
  }
  return false;
}

/// Frees the GPU's memory for the next case. After an error that broke the GPU's context this
/// fails, too, and the case's own error is the one to report.
struct CudaMemoryReleased {
  CudaMemoryReleased() = default;
  ~CudaMemoryReleased() {
    ignore_errors("release the GPU's memory", [] { cuda_release_memory(); });
  }
  CudaMemoryReleased(const CudaMemoryReleased&) = delete;
  CudaMemoryReleased& operator=(const CudaMemoryReleased&) = delete;
};

}  // namespace

c10::Device torch_device(Case& c) {
  if (c.text("device") == "cpu") return c10::Device(c10::kCPU);
  if (!has_cuda()) c.skip("the LibTorch of this build has no CUDA part");
  return c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(c.device().index()));
}

c10::Device prepare(Case& c) {
  const c10::Device device = torch_device(c);
  at::set_num_threads(c.hardware().threads());
  at::manual_seed(c.seed());
  if (device.is_cuda()) cuda_reset_peak(device);
  at::globalContext().setAllowTF32CuBLAS(false);
  at::globalContext().setAllowTF32CuDNN(false);
  return device;
}

std::uint64_t peak_memory(c10::Device device) {
  return device.is_cuda() ? cuda_peak_memory(device) : cpu_memory().peak;
}

void run_body(const std::function<void()>& body) {
  const CpuMemoryScope memory;
  const CudaMemoryReleased released;
  try {
    body();
  } catch (const c10::OutOfMemoryError& error) {
    throw OutOfMemory(first_line(error.what_without_backtrace()));
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    // The CPU allocator throws c10::Error without a subtype.
    if (text.find("can't allocate memory") != std::string::npos)
      throw OutOfMemory(first_line(text));
    if (is_unsupported(text)) throw Unavailable(first_line(text));
    throw Error(first_line(text));
  }
}

}  // namespace scalemark::torch_support
