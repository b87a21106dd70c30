// SPDX-License-Identifier: Apache-2.0
// What other replaced libraries ask of the CUDA runtime beyond its own entry points.
#pragma once

#include <cstdint>
#include <functional>

#include <cuda_runtime_api.h>

#include "tests/gpu/software/cudart/kernels.hpp"
#include "tests/gpu/software/cudart/recorder.hpp"

// Versioned as CUDA's names are: libcudart.map exports __cuda* only.
extern "C" {

/// The current device's number among all devices of the machine, and in this process.
cudaError_t __cudaSoftwareDevice(int* place, int* number);

/// The device that a stream belongs to; null is the current device's legacy stream.
cudaError_t __cudaSoftwareStreamDevice(cudaStream_t stream, int* number);

/// Gives work to a stream as a kernel launch does: in order, or as a node of the graph that the
/// stream is captured into. A code other than cudaSuccess breaks the device down.
cudaError_t __cudaSoftwareSubmit(cudaStream_t stream, const std::function<cudaError_t()>& work,
                                 bool* captured);

/// Where work that runs on a device finds `bytes` bytes at `data`; null where a GPU could not reach
/// all of them.
void* __cudaSoftwareReach(const void* data, std::size_t bytes, int number);

/// The file of this process in which the byte at `data` lies, memory of a device, and the place in
/// it: other processes may map that.
cudaError_t __cudaSoftwareFile(const void* data, int* file, std::uint64_t* offset);

/// The host's code for a kernel, by its name as a programmer writes it. Before the program
/// registers it.
void __cudaSoftwareAddKernel(const char* name, const scalemark::software_gpu::Prepare& prepare);

/// Tells `listener` of each call, kernel and copy; null: nobody any more.
void __cudaSoftwareListen(const scalemark::software_gpu::Listener* listener);
/// The clock of its times.
std::uint64_t __cudaSoftwareNow();
}
