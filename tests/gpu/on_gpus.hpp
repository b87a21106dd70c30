// SPDX-License-Identifier: Apache-2.0
// One rank a GPU, with buffers that go there and back.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/device/device.hpp"
#include "tests/support/mpi_main.hpp"

namespace scalemark::test {

/// Ranks share GPUs where there are fewer of them: each then calls itself another host, because
/// NCCL refuses two ranks on one GPU of a host. Skips all ranks' tests alike where a node has no
/// GPU.
class OnGpus : public ::testing::Test {
 protected:
  void SetUp() override {
    const mpi::Comm node = test::world().split_node();
    std::string why;
    const int count = device::cuda_device_count(&why);
    if (test::world().min(count) == 0) GTEST_SKIP() << (count == 0 ? why : "a node without GPU");
    shares_ = test::world().max(count < node.size() ? 1 : 0) == 1;
    // Read by NCCL when it first starts in this process.
    if (shares_) setenv("NCCL_HOSTID", ("rank" + std::to_string(test::world().rank())).c_str(), 1);
    gpu_ = device::make_cuda_device(node.rank() % count);
    stream_ = gpu_->make_stream();
    reader_ = gpu_->make_stream();
  }

  template <typename T>
  device::Buffer upload(const std::vector<T>& values) {
    device::Buffer buffer = gpu_->allocate(values.size() * sizeof(T), device::MemoryKind::device);
    gpu_->copy(buffer.data(), values.data(), buffer.bytes(), *stream_);
    stream_->synchronize();
    return buffer;
  }
  /// In a stream of its own: what has not been waited for is not there yet.
  template <typename T>
  std::vector<T> download(const device::Buffer& buffer) {
    std::vector<T> values(buffer.bytes() / sizeof(T));
    gpu_->copy(values.data(), buffer.data(), buffer.bytes(), *reader_);
    reader_->synchronize();
    return values;
  }

  bool shares_ = false;  ///< whether ranks share a GPU
  std::unique_ptr<device::Device> gpu_;
  std::unique_ptr<device::Stream> stream_, reader_;
};

}  // namespace scalemark::test
