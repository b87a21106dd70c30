// SPDX-License-Identifier: Apache-2.0
// Operations of a CUDA stream.
#include "common/collective/nccl_operation.hpp"

#include <utility>

#include <cuda_runtime_api.h>

#include "common/device/cuda/check.hpp"

namespace scalemark::collective {
namespace {

cudaStream_t native(const device::Stream& stream) {
  return static_cast<cudaStream_t>(stream.native());
}

class StreamOperation : public Operation {
 public:
  explicit StreamOperation(device::Stream& stream) : stream_(stream) {}
  void run() override {
    start();
    stream_.synchronize();
  }
  bool test() override {
    const cudaError_t state = cudaStreamQuery(native(stream_));
    if (state == cudaErrorNotReady) return false;
    device::check(state);
    return true;
  }
  void wait() override { stream_.synchronize(); }

 protected:
  device::Stream& stream_;
};

class EnqueuedOperation final : public StreamOperation {
 public:
  EnqueuedOperation(std::function<void()> enqueue, device::Stream& stream)
      : StreamOperation(stream), enqueue_(std::move(enqueue)) {}
  ~EnqueuedOperation() override { cudaStreamSynchronize(native(stream_)); }
  void start() override { enqueue_(); }

 private:
  std::function<void()> enqueue_;
};

class GraphOperation final : public StreamOperation {
 public:
  GraphOperation(const std::function<void()>& enqueue, device::Stream& stream)
      : StreamOperation(stream) {
    // NCCL connects ranks and loads kernels in the first call, which a capture does not allow.
    enqueue();
    stream.synchronize();
    // Other threads of the process (NCCL's own) may go on calling CUDA.
    device::check(cudaStreamBeginCapture(native(stream), cudaStreamCaptureModeThreadLocal));
    cudaGraph_t graph = nullptr;
    try {
      enqueue();
    } catch (...) {
      cudaStreamEndCapture(native(stream), &graph);
      if (graph != nullptr) cudaGraphDestroy(graph);
      throw;
    }
    device::check(cudaStreamEndCapture(native(stream), &graph));
    const cudaError_t made = cudaGraphInstantiate(&launchable_, graph, 0);
    cudaGraphDestroy(graph);
    device::check(made);
  }
  ~GraphOperation() override {
    cudaStreamSynchronize(native(stream_));
    if (launchable_ != nullptr) cudaGraphExecDestroy(launchable_);
  }
  void start() override { device::check(cudaGraphLaunch(launchable_, native(stream_))); }

 private:
  cudaGraphExec_t launchable_ = nullptr;
};

}  // namespace

std::unique_ptr<Operation> make_stream_operation(std::function<void()> enqueue,
                                                 device::Stream& stream) {
  return std::make_unique<EnqueuedOperation>(std::move(enqueue), stream);
}

std::unique_ptr<Operation> make_graph_operation(const std::function<void()>& enqueue,
                                                device::Stream& stream) {
  return std::make_unique<GraphOperation>(enqueue, stream);
}

}  // namespace scalemark::collective
