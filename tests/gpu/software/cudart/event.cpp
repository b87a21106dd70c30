// SPDX-License-Identifier: Apache-2.0
// Records events, waits for them, and tells the time between two.
#include "tests/gpu/software/cudart/event.hpp"

#include <chrono>
#include <utility>

#include "tests/gpu/software/cudart/failure.hpp"
#include "tests/gpu/software/cudart/submit.hpp"

namespace scalemark::software_gpu {
namespace {

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                    std::chrono::nanoseconds(1));
}

/// In a capture, an event only names the nodes before it.
bool record_in_capture(Event& event, const std::shared_ptr<Stream>& stream) {
  const std::lock_guard lock(state());
  event.capture = stream->capture;
  if (!event.capture) return false;
  require(event.capture->valid, cudaErrorStreamCaptureInvalidated);
  event.nodes = event.capture->ends[stream];
  return true;
}

/// Whether a capture takes the wait: of a stream under capture, or for an event of one.
bool wait_in_capture(const std::shared_ptr<Stream>& stream, Event& event) {
  const std::lock_guard lock(state());
  if (!stream->capture && !event.capture) return false;
  if (!event.capture) {
    stream->capture->valid = false;
    throw Failure{cudaErrorStreamCaptureIsolation};
  }
  if (stream->is_legacy) {
    event.capture->valid = false;
    throw Failure{cudaErrorStreamCaptureImplicit};
  }
  if (stream->capture && stream->capture != event.capture) {
    stream->capture->valid = event.capture->valid = false;
    throw Failure{cudaErrorStreamCaptureMerge};
  }
  event.capture->join(stream, event.nodes);
  stream->capture = event.capture;
  return true;
}

}  // namespace

void record(Event& event, const std::shared_ptr<Stream>& stream) {
  require(event.device == stream->device, cudaErrorInvalidResourceHandle);
  if (record_in_capture(event, stream)) return;
  auto time = std::make_shared<std::atomic<std::uint64_t>>(0);
  const Marker marker = submit(stream, [time] { *time = now_ns(); });
  const std::lock_guard lock(state());
  event.recorded = true;
  event.marker = marker;
  event.time_ns = std::move(time);
}

void wait_in_stream(const std::shared_ptr<Stream>& stream, Event& event) {
  if (wait_in_capture(stream, event)) return;
  Marker marker;
  {
    const std::lock_guard lock(state());
    marker = event.marker;
  }
  if (marker.queue) submit(stream, [] {}, {marker});
}

void synchronize(Event& event) {
  Marker marker;
  {
    const std::lock_guard lock(state());
    if (event.capture) {
      event.capture->valid = false;
      throw Failure{cudaErrorCapturedEvent};
    }
    refuse_unsafe_call();
    marker = event.marker;
  }
  wait_for(marker, event.device);
}

float milliseconds_between(Event& start, Event& end) {
  const std::lock_guard lock(state());
  require(start.timing && end.timing && start.recorded && end.recorded &&
              start.device == end.device && !start.capture && !end.capture,
          cudaErrorInvalidResourceHandle);
  require(start.marker.is_done() && end.marker.is_done(), cudaErrorNotReady);
  const auto from = static_cast<std::int64_t>(start.time_ns->load()),
             to = static_cast<std::int64_t>(end.time_ns->load());
  return static_cast<float>(to - from) * 1e-6F;
}

}  // namespace scalemark::software_gpu
