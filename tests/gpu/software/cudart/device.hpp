// SPDX-License-Identifier: Apache-2.0
// A pretend device: what it is, its memory, its streams, its sticky error.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include "tests/gpu/software/cudart/identity.hpp"
#include "tests/gpu/software/cudart/memory.hpp"
#include "tests/gpu/software/cudart/queue.hpp"

namespace scalemark::software_gpu {

struct Capture;

/// A stream, which a program knows by its address.
struct Stream {
  int device = 0;
  bool is_legacy = false;
  bool blocking = true;  ///< waits for the legacy stream, which waits for it
  std::shared_ptr<Queue> queue;
  std::shared_ptr<Capture> capture;  ///< null while work runs
};

class Device {
 public:
  explicit Device(Identity identity);

  /// Number among all devices of the machine, whatever CUDA_VISIBLE_DEVICES hides.
  int place() const { return identity_.place; }
  cudaDeviceProp properties() const;
  /// Of an instance: that of its device.
  std::string pci_bus_id() const;

  bool has_context();
  /// The following open the device's context: memory is reserved, threads start.
  DeviceMemory& memory();
  std::shared_ptr<Stream> legacy_stream();
  std::shared_ptr<Stream> make_stream(bool blocking);
  void remove_stream(const std::shared_ptr<Stream>& stream);
  std::vector<std::shared_ptr<Stream>> streams();
  /// What the streams got so far, destroyed ones as well; `blocking`: only those of blocking
  /// streams.
  std::vector<Marker> ends(bool blocking);

  /// Blocks until all streams have done what they got so far.
  void drain();

  /// The error after which a context is of no use; cudaSuccess if there was none.
  cudaError_t sticky() const { return static_cast<cudaError_t>(sticky_.load()); }
  void break_down(cudaError_t code);
  /// True at the first launch of a kernel on this device, which loads it.
  bool loads(const void* kernel);

  /// Access of this device's kernels to the memory of another one. False if it has it, or has it
  /// not.
  bool enable_peer(int index);
  bool disable_peer(int index);
  bool reaches(int index);

 private:
  struct Context {
    explicit Context(std::size_t bytes) : memory(bytes) {}
    DeviceMemory memory;
    std::shared_ptr<Stream> legacy;
    std::vector<std::shared_ptr<Stream>> streams;  ///< without the legacy one
    std::vector<std::pair<bool, Marker>> leaving;  ///< of destroyed streams, and whether blocking
    std::uint64_t made = 0;
    std::set<const void*> loaded;
    std::set<int> peers;  ///< devices whose memory it reaches
  };
  Context& context();
  std::shared_ptr<Queue> start_queue(std::uint64_t number);

  Identity identity_;
  int number_ = 0;
  std::mutex mutex_;
  std::unique_ptr<Context> context_;
  std::atomic<int> sticky_ = cudaSuccess;
};

/// The devices that this process sees, in its order.
std::vector<Device*>& devices();
/// Throws Failure for a number that is none.
Device& device_at(int index);

/// The current device of this thread.
int current_index();
void set_current(int index);
inline Device& current_device() { return device_at(current_index()); }

}  // namespace scalemark::software_gpu
