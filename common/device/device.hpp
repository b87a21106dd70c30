// SPDX-License-Identifier: Apache-2.0
// A device that executes work and holds memory: the host or one GPU.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "common/device/memory.hpp"

namespace scalemark::device {

enum class DeviceKind { cpu, cuda };
std::string_view to_string(DeviceKind kind);

/// Work on one stream runs in order. On the host, work runs immediately.
class Stream {
 public:
  virtual ~Stream() = default;
  /// Blocks until all work on the stream is done.
  virtual void synchronize() = 0;
  /// cudaStream_t on CUDA, null on the host
  virtual void* native() const = 0;
};

/// A time stamp in a stream.
class Event {
 public:
  virtual ~Event() = default;
  /// Records the work enqueued in `stream` so far.
  virtual void record(Stream& stream) = 0;
  /// Blocks until the recorded work is done.
  virtual void synchronize() = 0;
  /// Seconds from `start` to this event; both must be done.
  virtual double seconds_since(const Event& start) const = 0;
};

/// The host or a GPU: its memory, streams, events, copies and kernels.
class Device {
 public:
  virtual ~Device() = default;
  virtual DeviceKind kind() const = 0;
  /// CUDA device number in this process; 0 on the host.
  virtual int index() const = 0;
  virtual std::string name() const = 0;
  virtual std::string uuid() const = 0;        ///< empty on the host
  virtual std::string pci_bus_id() const = 0;  ///< empty on the host

  /// Empty if this device supports memory of `kind`, otherwise the reason in one line.
  virtual std::string why_not(MemoryKind kind) const = 0;
  /// Whether `data` is in device memory, which the host cannot read.
  virtual bool is_device_memory(const void* data) const = 0;
  /// Allocates memory and touches it. Host kinds are touched by the calling thread, filled with 0,
  /// and placed on `numa_node` if that is >= 0. Throws OutOfMemory if there is not enough. Throws
  /// Unavailable if why_not() is not empty or the node cannot be chosen.
  virtual Buffer allocate(std::size_t bytes, MemoryKind kind, int numa_node = -1) = 0;
  /// Bytes that can still be allocated: device memory, or host memory within cgroup and process
  /// limits.
  virtual std::size_t free_memory() const = 0;

  /// Makes it the thread's current device: a process with several must call this before it launches
  /// kernels on another one.
  virtual void make_current() = 0;
  /// A new stream, and a new event, of this device.
  virtual std::unique_ptr<Stream> make_stream() = 0;
  virtual std::unique_ptr<Event> make_event() = 0;
  /// Copies between any two kinds of memory. Asynchronous in `stream` if the device supports it;
  /// the host copies immediately.
  virtual void copy(void* to, const void* from, std::size_t bytes, Stream& stream) = 0;
  /// Copies with a kernel. It must have access to both addresses: device memory, page-locked host
  /// memory, managed memory. Asynchronous in `stream`. Throws Unavailable on the host.
  virtual void copy_by_kernel(void* to, const void* from, std::size_t bytes, Stream& stream) = 0;
  /// Migrates pages of managed memory to the device or to the host. Asynchronous in `stream`.
  /// Throws Unavailable on the host.
  virtual void prefetch(const void* data, std::size_t bytes, bool to_device, Stream& stream) = 0;
  /// Blocks until all work of this process on the device is done.
  virtual void synchronize() = 0;
};

/// The host; always available.
std::unique_ptr<Device> make_host_device();

/// The GPU with CUDA's number `index` in this process; makes it the current device. Throws
/// Unavailable with the reason: built without CUDA, no driver, no such device.
std::unique_ptr<Device> make_cuda_device(int index);

/// CUDA's number in this process of the GPU at a PCI address (dddd:bb:dd.f); -1 if CUDA has none
/// there.
int cuda_device_at(const std::string& pci_bus_id);

/// Number of CUDA devices. If it is 0, `*why_none` gets the reason ("built without CUDA", "no CUDA
/// driver").
int cuda_device_count(std::string* why_none = nullptr);

/// Versions of CUDA driver and runtime, for the environment record; empty without CUDA.
std::string cuda_versions();

/// Bytes of host memory that this process may still use: the minimum of free memory, cgroup limits
/// and RLIMIT_AS.
std::size_t free_host_memory();

}  // namespace scalemark::device
