// SPDX-License-Identifier: Apache-2.0
// Launches kernels, and graphs captured from streams.
#include <algorithm>
#include <atomic>
#include <type_traits>
#include <vector>

#include <cuda_runtime_api.h>

#include "common/base/clock.hpp"
#include "common/base/error.hpp"
#include "common/device/blocker.hpp"
#include "common/device/cuda/check.hpp"
#include "common/device/cuda/kernels.hpp"
#include "common/device/launch.hpp"

namespace scalemark::device {
namespace {

constexpr int kQuestions = 201;
constexpr std::uint64_t kAnswerLimitNs = 1'000'000'000;

struct DestroyGraph {
  void operator()(cudaGraphExec_t graph) const { cudaGraphExecDestroy(graph); }
};
using Graph = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, DestroyGraph>;
struct DestroyEvent {
  void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
};
using TimeEvent = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, DestroyEvent>;

TimeEvent make_time_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event));
  return TimeEvent(event);
}

/// Captures a chain of `nodes` empty kernels; with `mark`, the first one writes to it.
Graph capture_chain(cudaStream_t stream, int nodes, std::uint64_t* mark) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  cudaError_t code = cudaSuccess;
  for (int i = 0; i < nodes && code == cudaSuccess; ++i)
    code = i == 0 && mark != nullptr ? kernels::stamp(mark, stream) : kernels::nothing(stream);
  cudaGraph_t graph = nullptr;
  const cudaError_t end = cudaStreamEndCapture(stream, &graph);
  cudaGraphExec_t made = nullptr;
  if (code == cudaSuccess) code = end;
  if (code == cudaSuccess) code = cudaGraphInstantiate(&made, graph, 0);
  if (graph != nullptr) cudaGraphDestroy(graph);
  check(code);
  return Graph(made);
}

class CudaLaunchQueue final : public LaunchQueue {
 public:
  CudaLaunchQueue(Device& device, int streams, int graph_nodes, double limit)
      : words_(device.allocate(sizeof(Words), MemoryKind::pinned)), begin_(make_time_event()) {
    for (int i = 0; i < streams; ++i) {
      streams_.push_back(device.make_stream());
      ends_.push_back(make_time_event());
    }
    // A kernel is loaded at its first launch, which must not happen during capture.
    check(kernels::nothing(stream(0)));
    check(kernels::stamp(mark(), stream(0)));
    synchronize();
    for (int i = 0; i < streams; ++i) {
      // One graph per stream: a graph cannot run concurrently with itself.
      if (graph_nodes > 0) graphs_.push_back(capture_chain(stream(i), graph_nodes, nullptr));
    }
    if (graph_nodes > 0) marking_graph_ = capture_chain(stream(0), graph_nodes, mark());
    blocker_ = make_blocker(device, limit);
    for (int i = 0; i < streams; ++i) launch(i);  // uploads the graphs to the device
    launch_marking();
    synchronize();
  }
  ~CudaLaunchQueue() override {
    blocker_->release();
    for (const auto& one : streams_) cudaStreamSynchronize(native_of(*one));
  }
  CudaLaunchQueue(const CudaLaunchQueue&) = delete;
  CudaLaunchQueue& operator=(const CudaLaunchQueue&) = delete;

  int streams() const override { return static_cast<int>(streams_.size()); }
  void launch(int index) override {
    if (graphs_.empty())
      check(kernels::nothing(stream(index)));
    else
      check(cudaGraphLaunch(graphs_[static_cast<std::size_t>(index)].get(), stream(index)));
  }
  void synchronize() override {
    for (const auto& one : streams_) one->synchronize();
  }

  void launch_marking() override {
    if (marking_graph_)
      check(cudaGraphLaunch(marking_graph_.get(), stream(0)));
    else
      check(kernels::stamp(mark(), stream(0)));
  }
  void clear_mark() override { std::atomic_ref(*mark()).store(0, std::memory_order_seq_cst); }
  bool is_marked() const override {
    return std::atomic_ref(*mark()).load(std::memory_order_acquire) != 0;
  }

  double answer_time() override {
    std::atomic_ref question(words().question), answer(words().answer);
    question = answer = 0;
    check(
        kernels::answer(&words().question, &words().answer, kQuestions, kAnswerLimitNs, stream(0)));
    std::vector<std::uint64_t> times;
    for (int i = 1; i <= kQuestions; ++i) {
      const std::uint64_t asked = now_ns();
      question.store(i, std::memory_order_seq_cst);
      while (answer.load(std::memory_order_acquire) != i) {
        if (now_ns() - asked > 2 * kAnswerLimitNs)
          throw Error("a kernel did not answer the host within 2 s");
      }
      times.push_back(now_ns() - asked);
    }
    synchronize();
    std::ranges::nth_element(times, times.begin() + kQuestions / 2);
    return 1e-9 * static_cast<double>(times[kQuestions / 2]);
  }

  void block() override {
    blocker_->block(*streams_.front());
    check(cudaEventRecord(begin_.get(), stream(0)));
    for (int i = 1; i < streams(); ++i) check(cudaStreamWaitEvent(stream(i), begin_.get(), 0));
  }
  std::optional<double> release_and_time() override {
    for (int i = 0; i < streams(); ++i) check(cudaEventRecord(end(i), stream(i)));
    blocker_->release();
    synchronize();
    if (blocker_->gave_up()) return std::nullopt;
    float longest = 0;
    for (int i = 0; i < streams(); ++i) {
      float milliseconds = 0;
      check(cudaEventElapsedTime(&milliseconds, begin_.get(), end(i)));
      longest = std::max(longest, milliseconds);
    }
    return 1e-3 * static_cast<double>(longest);
  }

 private:
  /// Each in a cache line of its own.
  struct Words {
    alignas(128) std::uint64_t mark;
    alignas(128) int question;
    alignas(128) int answer;
  };
  static cudaStream_t native_of(const Stream& one) {
    return static_cast<cudaStream_t>(one.native());
  }
  cudaStream_t stream(int i) const { return native_of(*streams_[static_cast<std::size_t>(i)]); }
  cudaEvent_t end(int i) const { return ends_[static_cast<std::size_t>(i)].get(); }
  Words& words() const { return *words_.as<Words>(); }
  std::uint64_t* mark() const { return &words().mark; }

  Buffer words_;  ///< pinned: the device accesses it at the same address
  TimeEvent begin_;
  std::vector<TimeEvent> ends_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<Graph> graphs_;  ///< one per stream; empty for plain launches
  Graph marking_graph_;
  std::unique_ptr<Blocker> blocker_;
};

}  // namespace

std::unique_ptr<LaunchQueue> make_launch_queue(Device& device, int streams, int graph_nodes,
                                               double limit) {
  if (device.kind() != DeviceKind::cuda) throw Unavailable("only a GPU has kernels to launch");
  return std::make_unique<CudaLaunchQueue>(device, streams, graph_nodes, limit);
}

}  // namespace scalemark::device
