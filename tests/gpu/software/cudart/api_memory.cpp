// SPDX-License-Identifier: Apache-2.0
// Entry points: memory and copies.
#include <atomic>
#include <mutex>

#include <cuda_runtime_api.h>

#include "tests/gpu/software/cudart/api_handles.hpp"
#include "tests/gpu/software/cudart/call.hpp"
#include "tests/gpu/software/cudart/copy.hpp"
#include "tests/gpu/software/cudart/device.hpp"
#include "tests/gpu/software/cudart/settings.hpp"
#include "tests/gpu/software/cudart/submit.hpp"

using namespace scalemark::software_gpu;  // NOLINT(google-build-using-namespace)

namespace {

void refuse_during_capture() {
  const std::lock_guard lock(state());
  refuse_unsafe_call();
}

/// Fails at the allocation that the settings choose.
void count_allocation() {
  static std::atomic<std::uint64_t> allocations = 0;
  require(++allocations != settings().fail_allocation, cudaErrorMemoryAllocation);
}

/// Allocates by `get`, which returns null if there is not enough.
template <typename Get>
void allocate(void** data, std::size_t bytes, Kind kind, Get get) {
  require(data != nullptr, cudaErrorInvalidValue);
  *data = nullptr;
  if (bytes == 0) return;
  refuse_during_capture();
  count_allocation();
  void* got = get();
  require(got != nullptr, cudaErrorMemoryAllocation);
  Blocks::all().add({reinterpret_cast<std::uintptr_t>(got), bytes, kind, current_index()});
  *data = got;
}

/// Takes a block out of use when no device works with it any more.
Block retire(void* data, std::vector<Kind> kinds, cudaError_t otherwise) {
  refuse_during_capture();
  const auto block = Blocks::all().find(data);
  require(block.has_value(), otherwise);
  device_at(block->device).drain();
  const auto taken = Blocks::all().take(data, std::move(kinds));
  require(taken.has_value(), otherwise);
  return *taken;
}

cudaMemoryType type_of(Kind kind) {
  if (kind == Kind::device) return cudaMemoryTypeDevice;
  return kind == Kind::managed ? cudaMemoryTypeManaged : cudaMemoryTypeHost;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** data, std::size_t bytes) {
  return call(Needs::context, [&] {
    allocate(data, bytes, Kind::device, [&] { return current_device().memory().allocate(bytes); });
  });
}

cudaError_t cudaMallocManaged(void** data, std::size_t bytes, unsigned flags) {
  return call(Needs::context, [&] {
    require(bytes > 0 && (flags == cudaMemAttachGlobal || flags == cudaMemAttachHost),
            cudaErrorInvalidValue);
    allocate(data, bytes, Kind::managed, [&] { return allocate_host_pages(bytes, false); });
  });
}

cudaError_t cudaHostAlloc(void** data, std::size_t bytes, unsigned flags) {
  return call(Needs::context, [&] {
    constexpr unsigned kKnown =
        cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    require((flags & ~kKnown) == 0, cudaErrorInvalidValue);
    allocate(data, bytes, Kind::pinned, [&] { return allocate_host_pages(bytes, true); });
  });
}

cudaError_t cudaFree(void* data) {
  return call(Needs::context, [&] {
    if (data == nullptr) return;
    const Block block = retire(data, {Kind::device, Kind::managed}, cudaErrorInvalidValue);
    if (block.kind == Kind::managed) return release_host_pages(block);
    device_at(block.device).memory().release(block.begin);
  });
}

cudaError_t cudaFreeHost(void* data) {
  return call(Needs::context, [&] {
    if (data == nullptr) return;
    release_host_pages(retire(data, {Kind::pinned}, cudaErrorInvalidValue));
  });
}

cudaError_t cudaHostRegister(void* data, std::size_t bytes, unsigned) {
  return call(Needs::context, [&] {
    require(data != nullptr && bytes > 0, cudaErrorInvalidValue);
    refuse_during_capture();
    require(Blocks::all().add(
                {reinterpret_cast<std::uintptr_t>(data), bytes, Kind::registered, current_index()}),
            cudaErrorHostMemoryAlreadyRegistered);
  });
}

cudaError_t cudaHostUnregister(void* data) {
  return call(Needs::context,
              [&] { retire(data, {Kind::registered}, cudaErrorHostMemoryNotRegistered); });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return call(Needs::context, [&] {
    *free = current_device().memory().free_bytes();
    *total = current_device().memory().capacity();
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* data) {
  return call(Needs::device, [&] {
    require(attributes != nullptr, cudaErrorInvalidValue);
    *attributes = {};
    const auto block = Blocks::all().find(data);
    auto* address = const_cast<void*>(data);
    attributes->type = block ? type_of(block->kind) : cudaMemoryTypeUnregistered;
    attributes->device = block ? block->device : cudaInvalidDeviceId;
    attributes->devicePointer = block ? address : nullptr;
    attributes->hostPointer = block && block->kind == Kind::device ? nullptr : address;
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return call(Needs::context, [&] { copy(to, from, bytes, kind, stream_of(stream), false); });
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return call(Needs::context, [&] { fill(to, value, bytes, stream_of(nullptr), true); });
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return call(Needs::context, [&] { fill(to, value, bytes, stream_of(stream), false); });
}

cudaError_t cudaMemPrefetchAsync(const void* data, std::size_t bytes, cudaMemLocation place,
                                 unsigned flags, cudaStream_t stream) {
  return call(Needs::context, [&] {
    const auto block = Blocks::all().find(data);
    require(flags == 0 && bytes > 0 && block && block->kind == Kind::managed,
            cudaErrorInvalidValue);
    require(bytes <= block->begin + block->bytes - reinterpret_cast<std::uintptr_t>(data),
            cudaErrorInvalidValue);
    if (place.type == cudaMemLocationTypeDevice) device_at(place.id);
    require(place.type == cudaMemLocationTypeDevice || place.type == cudaMemLocationTypeHost,
            cudaErrorInvalidValue);
    submit(stream_of(stream), [] {});  // host and devices share the pages
  });
}

}  // extern "C"
