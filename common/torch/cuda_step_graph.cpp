// SPDX-License-Identifier: Apache-2.0
// CUDA graphs through LibTorch, whose allocator keeps a separate memory pool for graphs.
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

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
    graph_.capture_begin(pool_);
    work();
    graph_.capture_end();
  }

  void launch() override { graph_.replay(); }

 private:
  /// Work queued on `second` from now on waits for the work queued on `first`.
  static void order(const c10::cuda::CUDAStream& first, const c10::cuda::CUDAStream& second) {
    at::cuda::CUDAEvent event;
    event.record(first);
    event.block(second);
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
