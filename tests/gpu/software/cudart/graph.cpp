// SPDX-License-Identifier: Apache-2.0
// The rules of stream capture.
#include "tests/gpu/software/cudart/graph.hpp"

#include <algorithm>
#include <utility>

#include "tests/gpu/software/cudart/failure.hpp"

namespace scalemark::software_gpu {
namespace {

std::vector<std::shared_ptr<Capture>>& captures() {
  static auto& all = *new std::vector<std::shared_ptr<Capture>>;
  return all;
}

/// Invalidates all captures for which `hit` holds, and fails if there was one.
template <typename Hit>
void refuse_if(Hit hit, cudaError_t code) {
  bool any = false;
  for (const auto& capture : captures()) {
    if (!hit(*capture)) continue;
    capture->valid = false;
    any = true;
  }
  require(!any, code);
}

/// Whether all nodes lead to the end of the origin.
bool is_joined(const Capture& capture) {
  std::vector<bool> reached(capture.graph.nodes.size(), false);
  std::vector<std::size_t> next = capture.ends.at(capture.origin);
  while (!next.empty()) {
    const std::size_t node = next.back();
    next.pop_back();
    if (reached[node]) continue;
    reached[node] = true;
    const auto& after = capture.graph.nodes[node].after;
    next.insert(next.end(), after.begin(), after.end());
  }
  return std::ranges::all_of(reached, [](bool one) { return one; });
}

}  // namespace

void Capture::add(const std::shared_ptr<Stream>& stream, Work work) {
  require(valid, cudaErrorStreamCaptureInvalidated);
  std::vector<std::size_t>& after = ends[stream];
  graph.nodes.push_back({std::move(work), after});
  after = {graph.nodes.size() - 1};
}

void Capture::join(const std::shared_ptr<Stream>& stream, const std::vector<std::size_t>& nodes) {
  require(valid, cudaErrorStreamCaptureInvalidated);
  std::vector<std::size_t>& after = ends[stream];
  after.insert(after.end(), nodes.begin(), nodes.end());
}

void begin_capture(const std::shared_ptr<Stream>& stream, cudaStreamCaptureMode mode) {
  require(!stream->is_legacy, cudaErrorStreamCaptureUnsupported);
  require(!stream->capture, cudaErrorIllegalState);
  auto capture = std::make_shared<Capture>();
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->origin = stream;
  capture->graph.device = stream->device;
  capture->ends[stream] = {};
  stream->capture = capture;
  captures().push_back(std::move(capture));
}

std::shared_ptr<Graph> end_capture(const std::shared_ptr<Stream>& stream) {
  const std::shared_ptr<Capture> capture = stream->capture;
  require(capture != nullptr, cudaErrorIllegalState);
  if (capture->origin != stream) {
    capture->valid = false;
    throw Failure{cudaErrorStreamCaptureUnmatched};
  }
  require(capture->mode == cudaStreamCaptureModeRelaxed ||
              capture->thread == std::this_thread::get_id(),
          cudaErrorStreamCaptureWrongThread);
  std::erase(captures(), capture);
  for (const auto& [member, nodes] : capture->ends) member->capture.reset();
  require(capture->valid, cudaErrorStreamCaptureInvalidated);
  require(is_joined(*capture), cudaErrorStreamCaptureUnjoined);
  return std::make_shared<Graph>(std::move(capture->graph));
}

void refuse_unsafe_call() {
  refuse_if(
      [](const Capture& capture) {
        if (capture.mode == cudaStreamCaptureModeRelaxed) return false;
        return capture.mode == cudaStreamCaptureModeGlobal ||
               capture.thread == std::this_thread::get_id();
      },
      cudaErrorStreamCaptureUnsupported);
}

void refuse_captured(const Stream& stream) {
  refuse_if([&](const Capture& capture) { return stream.capture.get() == &capture; },
            cudaErrorStreamCaptureUnsupported);
}

void refuse_legacy_work(int device) {
  refuse_if(
      [device](const Capture& capture) {
        return std::ranges::any_of(capture.ends, [device](const auto& member) {
          return member.first->device == device && member.first->blocking;
        });
      },
      cudaErrorStreamCaptureImplicit);
}

void refuse_captures_of(int device) {
  refuse_if(
      [device](const Capture& capture) {
        return std::ranges::any_of(
            capture.ends, [device](const auto& member) { return member.first->device == device; });
      },
      cudaErrorStreamCaptureUnsupported);
}

}  // namespace scalemark::software_gpu
