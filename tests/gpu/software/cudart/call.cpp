// SPDX-License-Identifier: Apache-2.0
// Counts calls and keeps the last error of each thread.
#include "tests/gpu/software/cudart/call.hpp"

#include <atomic>

#include "tests/gpu/software/cudart/device.hpp"
#include "tests/gpu/software/cudart/settings.hpp"

namespace scalemark::software_gpu {
namespace {

thread_local cudaError_t last = cudaSuccess;
std::atomic<std::uint64_t> calls = 0;

}  // namespace

void enter(Needs needs) {
  require(!settings().old_driver, cudaErrorInsufficientDriver);
  if (needs == Needs::driver) return;
  require(!devices().empty(), cudaErrorNoDevice);
  if (needs == Needs::device) return;
  Device& device = current_device();
  if (++calls == settings().fail_call)
    device.break_down(static_cast<cudaError_t>(settings().fail_code));
  const cudaError_t code = device.sticky();
  require(code == cudaSuccess, code);
}

cudaError_t remember(cudaError_t code) {
  // "Not ready" is an answer, not an error.
  if (code != cudaErrorNotReady) last = code;
  return code;
}

cudaError_t take_last_error() {
  const cudaError_t code = last;
  last = cudaSuccess;
  if (code != cudaSuccess || settings().old_driver || devices().empty()) return code;
  return current_device().sticky();
}

}  // namespace scalemark::software_gpu
