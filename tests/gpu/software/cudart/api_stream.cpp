// SPDX-License-Identifier: Apache-2.0
// Entry points: streams, events, graphs.
#include <mutex>
#include <utility>

#include <cuda_runtime_api.h>

#include "tests/gpu/software/cudart/api_handles.hpp"
#include "tests/gpu/software/cudart/call.hpp"
#include "tests/gpu/software/cudart/submit.hpp"

using namespace scalemark::software_gpu;  // NOLINT(google-build-using-namespace)

namespace {

/// The end of a stream's work, for a call that asks for it, which captures forbid.
Marker end_of(const std::shared_ptr<Stream>& stream) {
  const std::lock_guard lock(state());
  refuse_captured(*stream);
  if (stream->is_legacy) refuse_legacy_work(stream->device);
  refuse_unsafe_call();
  return stream->queue->last();
}

cudaEvent_t make_event(unsigned flags) {
  constexpr unsigned kKnown = cudaEventBlockingSync | cudaEventDisableTiming;
  require((flags & ~kKnown) == 0, cudaErrorInvalidValue);
  auto event = std::make_shared<Event>();
  event->device = current_index();
  event->timing = (flags & cudaEventDisableTiming) == 0;
  return Events::all().add(std::move(event));
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return call(Needs::context, [&] {
    require(flags == cudaStreamDefault || flags == cudaStreamNonBlocking, cudaErrorInvalidValue);
    *stream = Streams::all().add(current_device().make_stream(flags == cudaStreamDefault));
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call(Needs::context, [&] {
    const auto gone = Streams::all().take(stream);
    device_at(gone->device).remove_stream(gone);
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return call(Needs::context, [&] {
    const auto found = stream_of(stream);
    wait_for(end_of(found), found->device);
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return call(Needs::context,
              [&] { require(end_of(stream_of(stream)).is_done(), cudaErrorNotReady); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return call(Needs::context,
              [&] { wait_in_stream(stream_of(stream), *Events::all().find(event)); });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return call(Needs::context, [&] { *event = make_event(cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return call(Needs::context, [&] { *event = make_event(flags); });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call(Needs::context, [&] { Events::all().take(event); });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call(Needs::context, [&] { record(*Events::all().find(event), stream_of(stream)); });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call(Needs::context, [&] { synchronize(*Events::all().find(event)); });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return call(Needs::context, [&] {
    *milliseconds = milliseconds_between(*Events::all().find(start), *Events::all().find(end));
  });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return call(Needs::context, [&] {
    const auto found = stream_of(stream);
    const std::lock_guard lock(state());
    begin_capture(found, mode);
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return call(Needs::context, [&] {
    *graph = nullptr;
    const auto found = stream_of(stream);
    const std::lock_guard lock(state());
    *graph = Graphs::all().add(end_capture(found));
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  return call(Needs::context, [&] {
    auto made = std::make_shared<GraphExec>();
    made->graph = Graphs::all().find(graph);
    *exec = GraphExecs::all().add(std::move(made));
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return call(Needs::context, [&] {
    const auto found = GraphExecs::all().find(exec);
    const auto where = stream_of(stream);
    const Marker made = submit(where,
                               [graph = found->graph] {
                                 for (const Graph::Node& node : graph->nodes) node.work();
                               },
                               {found->last});
    found->last = made;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call(Needs::context, [&] { Graphs::all().take(graph); });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return call(Needs::context, [&] { GraphExecs::all().take(exec); });
}

}  // extern "C"
