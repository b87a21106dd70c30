// SPDX-License-Identifier: Apache-2.0
// The objects behind the handles that entry points get.
#pragma once

#include <memory>

#include <cuda_runtime_api.h>

#include "tests/gpu/software/cudart/event.hpp"
#include "tests/gpu/software/cudart/graph.hpp"
#include "tests/gpu/software/cudart/handles.hpp"

namespace scalemark::software_gpu {

using Streams = Handles<Stream, cudaStream_t>;
using Events = Handles<Event, cudaEvent_t>;
using Graphs = Handles<Graph, cudaGraph_t, cudaErrorInvalidValue>;
using GraphExecs = Handles<GraphExec, cudaGraphExec_t, cudaErrorInvalidValue>;

/// The stream of a handle; null and cudaStreamLegacy are the current device's legacy stream.
inline std::shared_ptr<Stream> stream_of(cudaStream_t stream) {
  if (stream == nullptr || stream == cudaStreamLegacy) return current_device().legacy_stream();
  return Streams::all().find(stream);
}

}  // namespace scalemark::software_gpu
