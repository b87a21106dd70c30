// SPDX-License-Identifier: Apache-2.0
// CUDA graphs through LibTorch, whose allocator keeps a separate memory pool for graphs.
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "common/base/log.hpp"
#include "common/torch/step_graph.hpp"

namespace scalemark::torch_support {
namespace {

class CudaStepGraph final : public StepGraph {
 public:
  explicit CudaStepGraph(c10::Device device)
      : stream_(c10::cuda::getStreamFromPool(/*isHighPriority=*/false, device.index())),
        pool_(at::cuda::graph_pool_handle()) {}
  explicit CudaStepGraph(const CudaStepGraph& beside)
      : stream_(beside.stream_), pool_(beside.pool_) {}

  void warm_up(const std::function<void()>& work) override {
    const auto outside = c10::cuda::getCurrentCUDAStream(stream_.device_index());
    order(outside, stream_);
    {
      const c10::cuda::CUDAStreamGuard guard(stream_);
      work();
    }
    order(stream_, outside);
  }

  void capture(const std::function<void()>& work) override {
    stream_.synchronize();
    // The graph does not use the memory that the earlier steps cached.
    c10::cuda::CUDACachingAllocator::emptyCache();
    const c10::cuda::CUDAStreamGuard guard(stream_);
    // Only this thread is restricted: a loader's threads use the runtime meanwhile.
    graph_.capture_begin(pool_, cudaStreamCaptureModeThreadLocal);
    try {
      work();
      graph_.capture_end();
    } catch (...) {
      abandon_capture();
      throw;
    }
  }

  void launch() override { graph_.replay(); }

 private:
  /// Work queued on `second` from now on waits for the work queued on `first`.
  static void order(const c10::cuda::CUDAStream& first, const c10::cuda::CUDAStream& second) {
    at::cuda::CUDAEvent event;
    event.record(first);
    event.block(second);
  }

  /// Undoes capture_begin() after a failure, so that the next case can run: CUDAGraph does this
  /// only in a capture_end() that succeeds.
  void abandon_capture() noexcept {
    try {
      cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
      cudaGraph_t partial = nullptr;
      if (cudaStreamIsCapturing(stream_, &status) == cudaSuccess &&
          status != cudaStreamCaptureStatusNone) {
        if (cudaStreamEndCapture(stream_, &partial) == cudaSuccess && partial != nullptr)
          cudaGraphDestroy(partial);
      }
      cudaGetLastError();  // not sticky: the capture's own
      const c10::DeviceIndex device = stream_.device_index();
      c10::cuda::CUDACachingAllocator::endAllocateToPool(device, pool_);
      c10::cuda::CUDACachingAllocator::releasePool(device, pool_);
      // The generator believes that it is being captured: one that is not takes its place.
      const at::Generator fresh = at::cuda::detail::createCUDAGenerator(device);
      at::Generator generator = at::cuda::detail::getDefaultCUDAGenerator(device);
      fresh.set_current_seed(generator.current_seed());
      generator.graphsafe_set_state(fresh);
    } catch (const std::exception& error) {
      log::warn(fmt::format("a failed capture of a CUDA graph was not undone: {}", error.what()));
    }
  }

  c10::cuda::CUDAStream stream_;
  c10::MempoolId_t pool_;
  at::cuda::CUDAGraph graph_;
};

}  // namespace

std::unique_ptr<StepGraph> make_step_graph(c10::Device device, const StepGraph* beside) {
  if (beside == nullptr) return std::make_unique<CudaStepGraph>(device);
  return std::make_unique<CudaStepGraph>(dynamic_cast<const CudaStepGraph&>(*beside));
}

}  // namespace scalemark::torch_support
