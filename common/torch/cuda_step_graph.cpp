// SPDX-License-Identifier: Apache-2.0
// CUDA graphs through LibTorch, whose allocator keeps a separate memory pool for graphs.
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include "common/base/no_throw.hpp"
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
    try {
      // Only this thread is restricted: a loader's threads use the runtime meanwhile.
      graph_.capture_begin(pool_, cudaStreamCaptureModeThreadLocal);
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

  /// Undoes a capture that failed, so that the next case can run: CUDAGraph ends a capture, and
  /// gives its memory back, only if capture_end() succeeded.
  void abandon_capture() noexcept {
    end_stream_capture();
    if (!graph_.releases_pools()) release_pools();
    // The generator still believes that it is captured: its state is replaced by a fresh one.
    ignore_errors("reset the GPU's random numbers", [this] {
      const c10::DeviceIndex device = stream_.device_index();
      at::Generator fresh = at::cuda::detail::createCUDAGenerator(device);
      at::Generator generator = at::cuda::detail::getDefaultCUDAGenerator(device);
      fresh.set_current_seed(generator.current_seed());
      generator.graphsafe_set_state(fresh);
    });
  }

  void end_stream_capture() noexcept {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaGraph_t partial = nullptr;
    if (cudaStreamIsCapturing(stream_, &status) == cudaSuccess &&
        status != cudaStreamCaptureStatusNone &&
        cudaStreamEndCapture(stream_, &partial) == cudaSuccess && partial != nullptr)
      cudaGraphDestroy(partial);
    cudaGetLastError();  // the capture's own error, which is not sticky
  }

  /// Ends the use of the pools of device and pinned memory by this capture.
  void release_pools() noexcept {
    namespace allocator = c10::cuda::CUDACachingAllocator;
    ignore_errors("release the GPU memory of a CUDA graph", [this] {
      allocator::endAllocateToPool(stream_.device_index(), pool_);
      allocator::releasePool(stream_.device_index(), pool_);
    });
    ignore_errors("release the pinned memory of a CUDA graph", [this] {
      at::HostAllocator* const pinned = at::getHostAllocator(at::kCUDA);
      pinned->end_allocate_to_pool(pool_);
      pinned->release_pool(pool_);
    });
  }

  struct Graph : at::cuda::CUDAGraph {
    /// Whether the capture ended, so that the destructor releases the pools.
    bool releases_pools() const { return capture_ended_; }
  };

  c10::cuda::CUDAStream stream_;
  c10::MempoolId_t pool_;
  Graph graph_;
};

}  // namespace

std::unique_ptr<StepGraph> make_step_graph(c10::Device device, const StepGraph* beside) {
  if (beside == nullptr) return std::make_unique<CudaStepGraph>(device);
  return std::make_unique<CudaStepGraph>(dynamic_cast<const CudaStepGraph&>(*beside));
}

}  // namespace scalemark::torch_support
