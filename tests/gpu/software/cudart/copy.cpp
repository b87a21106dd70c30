// SPDX-License-Identifier: Apache-2.0
// Chooses how a copy waits by the kinds of memory at both ends.
#include "tests/gpu/software/cudart/copy.hpp"

#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "tests/gpu/software/cudart/failure.hpp"
#include "tests/gpu/software/cudart/recorder.hpp"
#include "tests/gpu/software/cudart/settings.hpp"
#include "tests/gpu/software/cudart/submit.hpp"

namespace scalemark::software_gpu {
namespace {

/// Pageable memory up to this size goes to the device inside the command, without a wait.
constexpr std::size_t kInline = std::size_t{64} << 10;

struct Side {
  std::uintptr_t address;
  bool on_host, pageable;
  int device = -1;  ///< -1: the host's, or managed
};

bool in_device_memory(std::uintptr_t address) {
  for (Device* device : devices()) {
    if (device->has_context() && device->memory().covers(address)) return true;
  }
  return false;
}

/// Fails if the range is not within one block, or is device memory that was freed.
Side side_of(const void* data, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const auto block = Blocks::all().find(data);
  if (!block) {
    require(data != nullptr && !in_device_memory(address), cudaErrorInvalidValue);
    return {address, true, true};
  }
  require(bytes <= block->begin + block->bytes - address, cudaErrorInvalidValue);
  const bool on_host = block->kind == Kind::pinned || block->kind == Kind::registered;
  return {address, on_host, false, block->kind == Kind::device ? block->device : -1};
}

/// Where a copy engine finds the bytes; fails if the memory was freed meanwhile.
void* reach(const Side& side) {
  void* data = reinterpret_cast<void*>(side.address);
  if (side.pageable) return data;
  const auto block = Blocks::all().find(data);
  require(block.has_value(), cudaErrorIllegalAddress);
  return block->kind == Kind::device ? device_at(block->device).memory().shadow(side.address)
                                     : data;
}

void check_kind(cudaMemcpyKind kind, const Side& to, const Side& from) {
  const bool from_host = kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice;
  const bool to_host = kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost;
  require(kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault,
          cudaErrorInvalidMemcpyDirection);
  if (kind == cudaMemcpyDefault) return;
  const bool fits = (from_host || !from.pageable) && (to_host || !to.pageable) &&
                    !(from_host && !from.on_host && in_device_memory(from.address)) &&
                    !(to_host && !to.on_host && in_device_memory(to.address));
  require(fits, cudaErrorInvalidValue);
}

/// Waits as long as the settings ask for the link between two devices.
void wait_for_link(int from, int to, std::size_t bytes) {
  const Settings& s = settings();
  const auto slow = [&](int a, int b) {
    return s.slow_link->first == a && s.slow_link->second == b;
  };
  if (!s.slow_link || from < 0 || to < 0 || !(slow(from, to) || slow(to, from))) return;
  std::this_thread::sleep_for(std::chrono::nanoseconds(s.slow_link_ns + bytes));
}

Work copy_work(const Side& to, const Side& from, std::size_t bytes) {
  return recorded_copy({from.device, to.device}, bytes, [=] {
    std::memmove(reach(to), reach(from), bytes);
    wait_for_link(from.device, to.device, bytes);
  });
}

/// Pageable host memory to the device: it is read before the call returns, the device may write
/// later. Large copies wait for the stream before they are staged.
void stage(const Side& to, const Side& from, std::size_t bytes,
           const std::shared_ptr<Stream>& stream, bool synchronous) {
  if (synchronous || bytes > kInline) wait_for(submit(stream, [] {}), stream->device);
  const auto* data = reinterpret_cast<const std::byte*>(from.address);
  submit(stream, recorded_copy({from.device, to.device}, bytes,
                               [to, staged = std::vector<std::byte>(data, data + bytes)] {
                                 std::memcpy(reach(to), staged.data(), staged.size());
                               }));
}

}  // namespace

void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
          const std::shared_ptr<Stream>& stream, bool synchronous) {
  if (bytes == 0) return;
  const Side target = side_of(to, bytes), source = side_of(from, bytes);
  check_kind(kind, target, source);
  if (synchronous || target.pageable || source.pageable) {
    const std::lock_guard lock(state());
    if (synchronous) refuse_unsafe_call();
    refuse_captured(*stream);
  }
  if (source.pageable && !target.on_host) return stage(target, source, bytes, stream, synchronous);
  const Marker end = submit(stream, copy_work(target, source, bytes));
  const bool host_only = target.on_host && source.on_host;
  const bool any_host = target.on_host || source.on_host;
  if (host_only || target.pageable || (synchronous && any_host)) wait_for(end, stream->device);
}

void fill(void* to, int value, std::size_t bytes, const std::shared_ptr<Stream>& stream,
          bool synchronous) {
  if (bytes == 0) return;
  const Side target = side_of(to, bytes);
  require(!target.pageable, cudaErrorInvalidValue);
  if (synchronous) {
    const std::lock_guard lock(state());
    refuse_unsafe_call();
  }
  const Marker end = submit(stream, [=] { std::memset(reach(target), value, bytes); });
  const bool on_device = in_device_memory(target.address);
  if (synchronous && !on_device) wait_for(end, stream->device);
}

void* reach_from_kernel(const void* data, int device) {
  if (data == nullptr) return nullptr;
  const auto block = Blocks::all().find(data);
  require(block.has_value(), cudaErrorIllegalAddress);
  if (block->kind != Kind::device) return const_cast<void*>(data);
  require(device_at(device).reaches(block->device), cudaErrorIllegalAddress);
  wait_for_link(device, block->device, 0);
  return device_at(block->device).memory().shadow(reinterpret_cast<std::uintptr_t>(data));
}

}  // namespace scalemark::software_gpu
