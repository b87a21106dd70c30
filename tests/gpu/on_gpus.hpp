// SPDX-License-Identifier: Apache-2.0
// One rank a GPU, with buffers that go there and back.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/device/device.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::test {

/// Skips all ranks' tests alike where there are fewer GPUs than ranks.
class OnGpus : public ::testing::Test {
 protected:
  void SetUp() override {
    const mpi::Comm node = test::world().split_node();
    std::string why;
    const int count = device::cuda_device_count(&why);
    const bool enough = test::world().min(count >= node.size() ? 1 : 0) == 1;
    if (!enough) GTEST_SKIP() << (count == 0 ? why : "fewer GPUs than ranks");
    gpu_ = device::make_cuda_device(node.rank());
    stream_ = gpu_->make_stream();
  }

  template <typename T>
  device::Buffer upload(const std::vector<T>& values) {
    device::Buffer buffer = gpu_->allocate(values.size() * sizeof(T), device::MemoryKind::device);
    gpu_->copy(buffer.data(), values.data(), buffer.bytes(), *stream_);
    stream_->synchronize();
    return buffer;
  }
  template <typename T>
  std::vector<T> download(const device::Buffer& buffer) {
    std::vector<T> values(buffer.bytes() / sizeof(T));
    gpu_->copy(values.data(), buffer.data(), buffer.bytes(), *stream_);
    stream_->synchronize();
    return values;
  }

  std::unique_ptr<device::Device> gpu_;
  std::unique_ptr<device::Stream> stream_;
};

}  // namespace scalemark::test
