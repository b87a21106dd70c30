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
  explicit StreamOperation(StreamLibrary library) : library_(std::move(library)) {}
  void start() final {
    library_.interruption.guard([this] { launch(); });
  }
  void run() final {
    start();
    wait();
  }
  bool test() final {
    const cudaError_t state = cudaStreamQuery(stream());
    if (state == cudaErrorNotReady) return false;
    library_.check();
    device::check(state);
    return true;
  }
  void wait() final {
    library_.stream.synchronize();
    library_.check();
  }

 protected:
  virtual void launch() = 0;
  cudaStream_t stream() const { return native(library_.stream); }

  StreamLibrary library_;
};

class EnqueuedOperation final : public StreamOperation {
 public:
  EnqueuedOperation(std::function<void()> enqueue, StreamLibrary library)
      : StreamOperation(std::move(library)), enqueue_(std::move(enqueue)) {}
  ~EnqueuedOperation() override { cudaStreamSynchronize(stream()); }

 private:
  void launch() override { enqueue_(); }

  std::function<void()> enqueue_;
};

class GraphOperation final : public StreamOperation {
 public:
  GraphOperation(const std::function<void()>& enqueue, StreamLibrary library)
      : StreamOperation(std::move(library)) {
    // NCCL connects ranks and loads kernels in the first call, which a capture does not allow.
    library_.interruption.guard(enqueue);
    wait();
    library_.interruption.guard([&] { capture(enqueue); });
  }
  ~GraphOperation() override {
    cudaStreamSynchronize(stream());
    if (launchable_ != nullptr) cudaGraphExecDestroy(launchable_);
  }

 private:
  void launch() override { device::check(cudaGraphLaunch(launchable_, stream())); }

  void capture(const std::function<void()>& enqueue) {
    // Other threads of the process (NCCL's own) may go on calling CUDA.
    device::check(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal));
    cudaGraph_t graph = nullptr;
    try {
      enqueue();
    } catch (...) {
      cudaStreamEndCapture(stream(), &graph);
      if (graph != nullptr) cudaGraphDestroy(graph);
      cudaGetLastError();  // of an invalid capture: the next launch would report it
      throw;
    }
    device::check(cudaStreamEndCapture(stream(), &graph));
    const cudaError_t made = cudaGraphInstantiate(&launchable_, graph, 0);
    cudaGraphDestroy(graph);
    device::check(made);
  }

  cudaGraphExec_t launchable_ = nullptr;
};

}  // namespace

std::unique_ptr<Operation> make_stream_operation(std::function<void()> enqueue,
                                                 StreamLibrary library) {
  return std::make_unique<EnqueuedOperation>(std::move(enqueue), std::move(library));
}

std::unique_ptr<Operation> make_graph_operation(const std::function<void()>& enqueue,
                                                StreamLibrary library) {
  return std::make_unique<GraphOperation>(enqueue, std::move(library));
}

}  // namespace scalemark::collective
