// SPDX-License-Identifier: Apache-2.0
// A device that executes and holds memory: the host, or one GPU.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "common/device/memory.hpp"

namespace scalemark::device {

enum class DeviceKind { cpu, cuda };
std::string_view to_string(DeviceKind kind);

/// Work on one stream runs in order. The host's stream executes at once.
class Stream {
 public:
  virtual ~Stream() = default;
  /// Blocks until everything given to the stream is done.
  virtual void synchronize() = 0;
  /// cudaStream_t on CUDA, null on the host.
  virtual void* native() const = 0;
};

/// A point in a stream's time.
class Event {
 public:
  virtual ~Event() = default;
  virtual void record(Stream& stream) = 0;
  /// Blocks until the recorded point is reached.
  virtual void synchronize() = 0;
  /// Seconds from `start` to this event; both reached.
  virtual double seconds_since(const Event& start) const = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual DeviceKind kind() const = 0;
  /// CUDA ordinal in this process; 0 on the host.
  virtual int index() const = 0;
  virtual std::string name() const = 0;
  virtual std::string uuid() const = 0;        ///< empty on the host
  virtual std::string pci_bus_id() const = 0;  ///< empty on the host

  /// Empty if memory of this kind can be had here, else why not in one line.
  virtual std::string why_not(MemoryKind kind) const = 0;
  /// Whether `data` lies in device memory, where the host cannot read it.
  virtual bool is_device_memory(const void* data) const = 0;
  /// Allocates and touches (host kinds: by the calling thread, on `numa_node` when >= 0, contents
  /// 0). Throws Unavailable where why_not() is not empty or the node cannot be chosen, OutOfMemory
  /// when there is not enough.
  virtual Buffer allocate(std::size_t bytes, MemoryKind kind, int numa_node = -1) = 0;
  /// Bytes that can still be allocated: device memory, or host memory within cgroup and limits.
  virtual std::size_t free_memory() const = 0;

  virtual std::unique_ptr<Stream> make_stream() = 0;
  virtual std::unique_ptr<Event> make_event() = 0;
  /// Copies between any two kinds. Asynchronous in `stream` where the device can; the host copies
  /// at once.
  virtual void copy(void* to, const void* from, std::size_t bytes, Stream& stream) = 0;
  /// Copies by threads of the device, which must reach both addresses: its own memory, page-locked
  /// host memory, managed memory. Asynchronous in `stream`. Throws Unavailable on the host.
  virtual void copy_by_kernel(void* to, const void* from, std::size_t bytes, Stream& stream) = 0;
  /// Moves pages of managed memory to the device, or to the host. Asynchronous in `stream`. Throws
  /// Unavailable on the host.
  virtual void prefetch(const void* data, std::size_t bytes, bool to_device, Stream& stream) = 0;
  /// Blocks until all work of this process on the device is done.
  virtual void synchronize() = 0;
};

/// The host. Always there.
std::unique_ptr<Device> make_host_device();

/// GPU number `index` as CUDA counts in this process; makes it current. Throws Unavailable with the
/// reason: built without CUDA, no driver, no such device.
std::unique_ptr<Device> make_cuda_device(int index);

/// Index, as CUDA counts in this process, of the GPU at a PCI address (dddd:bb:dd.f); -1 if CUDA
/// knows none there.
int cuda_device_at(const std::string& pci_bus_id);

/// Number of CUDA devices; 0 with the reason in `*why_none` ("built without CUDA", "no CUDA
/// driver").
int cuda_device_count(std::string* why_none = nullptr);

/// Driver and runtime version and the like for the environment record; empty without CUDA.
std::string cuda_versions();

/// Host memory in bytes that this process may still use: free memory, cgroup limits and RLIMIT_AS,
/// the smallest.
std::size_t free_host_memory();

}  // namespace scalemark::device
