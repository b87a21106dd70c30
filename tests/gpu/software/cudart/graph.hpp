// SPDX-License-Identifier: Apache-2.0
// Graphs, and how streams are captured into them.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include <cuda_runtime_api.h>

#include "tests/gpu/software/cudart/device.hpp"

namespace scalemark::software_gpu {

using Work = std::function<void()>;

/// Nodes come behind those that they depend on, so that running them in this order is right.
struct Graph {
  struct Node {
    Work work;
    std::vector<std::size_t> after;
  };
  int device = 0;
  std::vector<Node> nodes;
};

/// What cudaGraphLaunch runs. It never runs twice at a time.
struct GraphExec {
  std::shared_ptr<const Graph> graph;
  Marker last;
};

/// Streams under capture. All functions want state() to be locked.
struct Capture {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  std::shared_ptr<Stream> origin;
  bool valid = true;
  Graph graph;
  /// For each stream: the nodes that its next node comes behind.
  std::map<std::shared_ptr<Stream>, std::vector<std::size_t>> ends;

  void add(const std::shared_ptr<Stream>& stream, Work work);
  /// The next node of `stream`, which takes part from now on, comes behind these, too.
  void join(const std::shared_ptr<Stream>& stream, const std::vector<std::size_t>& nodes);
};

void begin_capture(const std::shared_ptr<Stream>& stream, cudaStreamCaptureMode mode);
/// Throws Failure when the capture was invalid or ends otherwise than it should; it is over then,
/// unless the thread is wrong.
std::shared_ptr<Graph> end_capture(const std::shared_ptr<Stream>& stream);

/// Fails and invalidates the captures if this thread may not make a potentially unsafe call now:
/// one that waits or allocates.
void refuse_unsafe_call();
/// Fails and invalidates the capture that the stream takes part in, if any.
void refuse_captured(const Stream& stream);
/// Fails and invalidates the captures of blocking streams: work for the legacy stream of `device`
/// would depend on them.
void refuse_legacy_work(int device);
/// Fails and invalidates all captures on `device`.
void refuse_captures_of(int device);

}  // namespace scalemark::software_gpu
