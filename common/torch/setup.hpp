// SPDX-License-Identifier: Apache-2.0
// LibTorch made ready for a case: device, threads, seed, precision; memory; its exceptions made
// ours.
#pragma once

#include <cstdint>
#include <functional>

#include <c10/core/Device.h>

#include "common/core/case.hpp"

namespace scalemark::torch_support {

/// Whether this build's LibTorch has its CUDA part.
bool has_cuda();

/// The device that axis `device` names. Skips the case where this build's LibTorch has no CUDA
/// part, or a rank has no GPU.
c10::Device torch_device(Case& c);

/// torch_device(), after setting LibTorch's compute threads to c.threads(), all its generators to
/// c.seed(), and fp32 to IEEE arithmetic (no TF32 in cuBLAS and cuDNN).
c10::Device prepare(Case& c);

/// Largest number of bytes of tensors on the device since the case began.
std::uint64_t peak_memory(c10::Device device);

/// Runs the body of a case, within a CpuMemoryScope. LibTorch's exceptions become ours: OutOfMemory
/// where memory was lacking, else Error, with the first line of their text and no stack trace.
void run_body(const std::function<void()>& body);

}  // namespace scalemark::torch_support
