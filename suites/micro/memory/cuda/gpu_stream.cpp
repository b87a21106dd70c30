// SPDX-License-Identifier: Apache-2.0
// STREAM in GPU memory.
#include <memory>
#include <vector>

#include <cuda_runtime_api.h>

#include "common/device/cuda/check.hpp"
#include "common/device/cuda/kernels.hpp"
#include "suites/micro/memory/stream_engine.hpp"

namespace scalemark::micro {
namespace {

template <typename T>
class GpuStream final : public StreamEngine {
 public:
  GpuStream(Case& c, std::size_t count)
      : device_(c.hardware().gpu()),
        kernel_(stream_kernel_from(c.text("operation"))),
        count_(count),
        salt_(static_cast<std::size_t>(c.rank())),
        stream_(device_.make_stream()),
        host_(count) {
    const auto memory = [&] {
      return device_.allocate(count * sizeof(T), device::MemoryKind::device);
    };
    to_ = memory(), from_ = memory(), other_ = memory();
    device::check(
        cudaDeviceGetAttribute(&processors_, cudaDevAttrMultiProcessorCount, device_.index()));
    for (std::size_t i = 0; i < count; ++i) host_[i] = stream_from<T>(i, salt_);
    put(from_);
    for (std::size_t i = 0; i < count; ++i) host_[i] = stream_other<T>(i);
    put(other_);
    spoil();
  }

  void start() override {
    device::check(device::kernels::stream_loop(static_cast<int>(kernel_), to_.as<T>(),
                                               from_.as<T>(), other_.as<T>(), count_, processors_,
                                               static_cast<cudaStream_t>(stream_->native())));
  }
  void finish() override { stream_->synchronize(); }
  Case::Checked check() override {
    device_.copy(host_.data(), to_.data(), count_ * sizeof(T), *stream_);
    stream_->synchronize();
    Case::Checked result{count_, 0};
    for (std::size_t i = 0; i < count_; ++i)
      result.wrong += host_[i] == stream_expected<T>(kernel_, i, salt_) ? 0 : 1;
    spoil();
    return result;
  }

 private:
  void put(device::Buffer& to) {
    device_.copy(to.data(), host_.data(), count_ * sizeof(T), *stream_);
    stream_->synchronize();
  }
  void spoil() {
    host_.assign(count_, T{-1});
    put(to_);
  }

  device::Device& device_;
  StreamKernel kernel_;
  std::size_t count_, salt_;
  std::unique_ptr<device::Stream> stream_;
  std::vector<T> host_;
  device::Buffer to_, from_, other_;
  int processors_ = 1;
};

}  // namespace

std::unique_ptr<StreamEngine> make_gpu_stream(Case& c, std::size_t count) {
  if (c.text("dtype") == "fp64") return std::make_unique<GpuStream<double>>(c, count);
  return std::make_unique<GpuStream<float>>(c, count);
}

}  // namespace scalemark::micro
