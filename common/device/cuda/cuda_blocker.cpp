// SPDX-License-Identifier: Apache-2.0
// Blocks a stream with a kernel that polls host memory.
#include <atomic>
#include <cstring>

#include "common/base/error.hpp"
#include "common/device/blocker.hpp"
#include "common/device/cuda/check.hpp"
#include "common/device/cuda/kernels.hpp"

namespace scalemark::device {
namespace {

class CudaBlocker final : public Blocker {
 public:
  CudaBlocker(Device& device, double limit)
      : words_(device.allocate(2 * sizeof(int), MemoryKind::pinned)),
        limit_ns_(static_cast<std::uint64_t>(limit * 1e9)) {
    // Load the kernel now: loading at its first launch could wait for the stream that it blocks.
    const auto stream = device.make_stream();
    go() = 1;
    check(kernels::wait_for(&go(), &words_.as<int>()[1], limit_ns_, cuda_stream(*stream)));
    stream->synchronize();
  }
  ~CudaBlocker() override { release(); }
  void block(Stream& stream) override {
    std::memset(words_.data(), 0, words_.bytes());
    std::atomic_thread_fence(std::memory_order_seq_cst);
    check(kernels::wait_for(&go(), &words_.as<int>()[1], limit_ns_, cuda_stream(stream)));
  }
  void release() override { std::atomic_ref<int>(go()).store(1, std::memory_order_seq_cst); }
  bool gave_up() const override {
    return std::atomic_ref<int>(words_.as<int>()[1]).load(std::memory_order_seq_cst) != 0;
  }

 private:
  static cudaStream_t cuda_stream(const Stream& stream) {
    return static_cast<cudaStream_t>(stream.native());
  }
  int& go() { return words_.as<int>()[0]; }

  Buffer words_;  ///< pinned: with unified addressing, the device reads it at the same address
  std::uint64_t limit_ns_;
};

}  // namespace

std::unique_ptr<Blocker> make_blocker(Device& device, double limit) {
  if (device.kind() != DeviceKind::cuda) throw Unavailable("only a GPU's streams can be blocked");
  return std::make_unique<CudaBlocker>(device, limit);
}

}  // namespace scalemark::device
