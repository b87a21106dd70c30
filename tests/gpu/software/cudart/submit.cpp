// SPDX-License-Identifier: Apache-2.0
// Orders work in streams, by the rule of the legacy default stream.
#include "tests/gpu/software/cudart/submit.hpp"

#include <utility>

#include "tests/gpu/software/cudart/failure.hpp"
#include "tests/gpu/software/cudart/settings.hpp"

namespace scalemark::software_gpu {
namespace {

/// Nothing runs any more on a device that broke down; a failure breaks it down.
Work guarded(Device& device, Work work) {
  return [&device, work = std::move(work)] {
    if (device.sticky() != cudaSuccess) return;
    try {
      work();
    } catch (const Failure& failure) {
      device.break_down(failure.code);
    }
  };
}

}  // namespace

std::mutex& state() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

Marker submit(const std::shared_ptr<Stream>& stream, Work work, std::vector<Marker> after) {
  {
    const std::lock_guard lock(state());
    if (stream->capture) {
      stream->capture->add(stream, std::move(work));
      return {};
    }
  }
  stream->queue->wait_for_space(settings().queue);
  const std::lock_guard lock(state());
  Device& device = device_at(stream->device);
  if (stream->is_legacy) {
    refuse_legacy_work(stream->device);
    for (Marker& end : device.ends(true)) after.push_back(std::move(end));
  } else if (stream->blocking) {
    after.push_back(device.legacy_stream()->queue->last());
  }
  return stream->queue->push(guarded(device, std::move(work)), std::move(after));
}

void wait_for(const Marker& marker, int device) {
  marker.wait();
  const cudaError_t code = device_at(device).sticky();
  require(code == cudaSuccess, code);
}

}  // namespace scalemark::software_gpu
