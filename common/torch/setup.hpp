// SPDX-License-Identifier: Apache-2.0
// Prepares LibTorch for a case: device, threads, seed, precision, memory, and translation of its
// exceptions.
#pragma once

#include <cstdint>
#include <functional>

#include <c10/core/Device.h>

#include "common/core/case.hpp"

namespace scalemark::torch_support {

/// Whether this build's LibTorch has CUDA support.
bool has_cuda();

/// The device that axis `device` names. Skips the case if this build's LibTorch has no CUDA
/// support, or a rank has no GPU.
c10::Device torch_device(Case& c);

/// torch_device(), after setting LibTorch's compute threads to those of this rank, all its
/// generators to c.seed(), and fp32 to IEEE arithmetic (no TF32 in cuBLAS and cuDNN).
c10::Device prepare(Case& c);

/// Peak bytes of tensors on the device since the start of the case.
std::uint64_t peak_memory(c10::Device device);

/// Runs the body of a case within a CpuMemoryScope. Translates LibTorch's exceptions: OutOfMemory
/// if an allocation failed, else Error, with the first line of their text and no stack trace.
void run_body(const std::function<void()>& body);

}  // namespace scalemark::torch_support
