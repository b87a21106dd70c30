// SPDX-License-Identifier: Apache-2.0
// Allocates the memory kinds of the CUDA runtime.
#include "common/device/cuda/cuda_memory.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include <cuda_runtime_api.h>

#include "common/base/error.hpp"
#include "common/device/cuda/check.hpp"
#include "common/device/host/host_memory.hpp"

namespace scalemark::device {
namespace {

/// CUDA returns no pointer for 0 bytes.
std::size_t at_least_one(std::size_t bytes) { return std::max<std::size_t>(bytes, 1); }

bool has(cudaDeviceAttr attribute, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, attribute, device));
  return value != 0;
}

Buffer allocate_device(std::size_t bytes) {
  void* data = nullptr;
  check(cudaMalloc(&data, at_least_one(bytes)));
  Buffer buffer(data, bytes, MemoryKind::device, [](void* block) { cudaFree(block); });
  check(cudaMemset(data, 0, bytes));
  check(cudaDeviceSynchronize());
  return buffer;
}

/// Allocates page-locked memory. The kernel places it by this thread's memory policy.
Buffer allocate_locked(std::size_t bytes, MemoryKind kind, int numa_node) {
  require_host_memory(bytes);
  const PreferNode node(numa_node);
  const unsigned flags =
      kind == MemoryKind::write_combined ? cudaHostAllocWriteCombined : cudaHostAllocDefault;
  void* data = nullptr;
  check(cudaHostAlloc(&data, at_least_one(bytes), flags));
  Buffer buffer(data, bytes, kind, [](void* block) { cudaFreeHost(block); });
  std::memset(data, 0, bytes);
  return buffer;
}

Buffer allocate_managed(std::size_t bytes, int numa_node) {
  require_host_memory(bytes);
  const PreferNode node(numa_node);
  void* data = nullptr;
  check(cudaMallocManaged(&data, at_least_one(bytes), cudaMemAttachGlobal));
  Buffer buffer(data, bytes, MemoryKind::managed, [](void* block) { cudaFree(block); });
  // without concurrent access, the host must wait before it touches managed memory
  check(cudaDeviceSynchronize());
  std::memset(data, 0, bytes);
  return buffer;
}

Buffer allocate_registered(std::size_t bytes, int numa_node) {
  auto pages = std::make_shared<Buffer>(allocate_host(bytes, MemoryKind::pageable, numa_node));
  check(cudaHostRegister(pages->data(), at_least_one(bytes), cudaHostRegisterDefault));
  void* data = pages->data();
  return {data, bytes, MemoryKind::registered,
          [pages = std::move(pages)](void* block) { cudaHostUnregister(block); }};
}

}  // namespace

std::string why_not_cuda(MemoryKind kind, int device) {
  switch (kind) {
    case MemoryKind::huge_pages:
      return why_no_huge_pages();
    case MemoryKind::managed:
      return has(cudaDevAttrManagedMemory, device) ? "" : "this CUDA device has no managed memory";
    case MemoryKind::registered:
      return has(cudaDevAttrHostRegisterSupported, device)
                 ? ""
                 : "this CUDA device cannot register host memory";
    default:
      return {};
  }
}

Buffer allocate_cuda(std::size_t bytes, MemoryKind kind, int numa_node) {
  switch (kind) {
    case MemoryKind::pinned:
    case MemoryKind::write_combined:
      return allocate_locked(bytes, kind, numa_node);
    case MemoryKind::managed:
      return allocate_managed(bytes, numa_node);
    case MemoryKind::registered:
      return allocate_registered(bytes, numa_node);
    case MemoryKind::device:
      return allocate_device(bytes);
    default:
      return allocate_host(bytes, kind, numa_node);
  }
}

}  // namespace scalemark::device
