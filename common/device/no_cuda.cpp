// SPDX-License-Identifier: Apache-2.0
// Build without CUDA: no CUDA devices, and the reason.
#include "common/base/error.hpp"
#include "common/device/blocker.hpp"
#include "common/device/device.hpp"
#include "common/device/event_calls.hpp"
#include "common/device/launch.hpp"
#include "common/device/memory_cycle.hpp"
#include "common/device/peer_access.hpp"

namespace scalemark::device {
namespace {
constexpr const char* kReason = "built without CUDA";
}

std::unique_ptr<Device> make_cuda_device(int) { throw Unavailable(kReason); }

int cuda_device_at(const std::string&) { return -1; }

int cuda_device_count(std::string* why_none) {
  if (why_none != nullptr) *why_none = kReason;
  return 0;
}

std::unique_ptr<Blocker> make_blocker(Device&, double) { throw Unavailable(kReason); }

std::unique_ptr<LaunchQueue> make_launch_queue(Device&, int, int, double) {
  throw Unavailable(kReason);
}

std::unique_ptr<EventCalls> make_event_calls(Device&, bool) { throw Unavailable(kReason); }

std::unique_ptr<MemoryCycle> make_cuda_memory_cycle(Device&, MemoryKind, std::size_t) {
  throw Unavailable(kReason);
}

bool can_access_peer(const Device&, const Device&) { return false; }

std::unique_ptr<PeerAccess> enable_peer_access(const Device&, const Device&) {
  throw Unavailable(kReason);
}

std::string cuda_versions() { return {}; }

}  // namespace scalemark::device
