// SPDX-License-Identifier: Apache-2.0
// Owners of streams, events and memory for the tests of the software GPU, and a stream's blocker.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "common/device/cuda/kernels.hpp"

namespace scalemark::software_gpu {

/// Runs each test on device 0, and none where LD_LIBRARY_PATH leads to another CUDA runtime.
class OnSoftwareGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    cudaDeviceProp properties{};
    cudaGetDeviceProperties(&properties, 0);
    ASSERT_NE(std::string(properties.name).find("software GPU"), std::string::npos);
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  }
  void TearDown() override {
    cudaSetDevice(0);
    cudaGetLastError();
  }
};

template <cudaError_t (*kAllocate)(void**, std::size_t), cudaError_t (*kFree)(void*)>
class Bytes {
 public:
  explicit Bytes(std::size_t bytes) { kAllocate(&data_, bytes); }
  ~Bytes() { kFree(data_); }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

inline cudaError_t allocate_pinned(void** data, std::size_t bytes) {
  return cudaHostAlloc(data, bytes, cudaHostAllocDefault);
}
inline cudaError_t allocate_device(void** data, std::size_t bytes) {
  return cudaMalloc(data, bytes);
}
using DeviceBytes = Bytes<allocate_device, cudaFree>;
using PinnedBytes = Bytes<allocate_pinned, cudaFreeHost>;

class StreamOf {
 public:
  explicit StreamOf(unsigned flags) { cudaStreamCreateWithFlags(&stream_, flags); }
  ~StreamOf() { cudaStreamDestroy(stream_); }
  StreamOf(const StreamOf&) = delete;
  StreamOf& operator=(const StreamOf&) = delete;
  operator cudaStream_t() const { return stream_; }  // NOLINT(google-explicit-constructor)

 private:
  cudaStream_t stream_ = nullptr;
};

class EventOf {
 public:
  EventOf() { cudaEventCreate(&event_); }
  ~EventOf() { cudaEventDestroy(event_); }
  EventOf(const EventOf&) = delete;
  EventOf& operator=(const EventOf&) = delete;
  operator cudaEvent_t() const { return event_; }  // NOLINT(google-explicit-constructor)

 private:
  cudaEvent_t event_ = nullptr;
};

/// Holds a stream back from its making to its release, or until it gives up.
class Blocker {
 public:
  explicit Blocker(cudaStream_t stream, std::chrono::nanoseconds limit = std::chrono::seconds(20))
      : words_(2 * sizeof(int)) {
    static_cast<int*>(words_.data())[0] = static_cast<int*>(words_.data())[1] = 0;
    device::kernels::wait_for(&word(0), &word(1), static_cast<std::uint64_t>(limit.count()),
                              stream);
  }
  ~Blocker() { release(); }  // and freeing the words waits for the kernel
  Blocker(const Blocker&) = delete;
  Blocker& operator=(const Blocker&) = delete;
  void release() { std::atomic_ref(word(0)).store(1); }
  bool gave_up() { return std::atomic_ref(word(1)).load() != 0; }

 private:
  int& word(int i) { return static_cast<int*>(words_.data())[i]; }
  PinnedBytes words_;
};

}  // namespace scalemark::software_gpu
