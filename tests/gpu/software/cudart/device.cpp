// SPDX-License-Identifier: Apache-2.0
// The pretend devices, and which of them this process sees.
#include "tests/gpu/software/cudart/device.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

#include "tests/gpu/software/cudart/failure.hpp"
#include "tests/gpu/software/cudart/identity.hpp"
#include "tests/gpu/software/cudart/settings.hpp"

namespace scalemark::software_gpu {
namespace {

thread_local int current = 0;

/// Few, so that grids of a fixed number of blocks per multiprocessor stay small.
constexpr int kMultiprocessors = 8;

/// What `word` names; nothing if no device is meant. A UUID of a device may be shortened as long as
/// one device is meant.
std::optional<Identity> named_by(const std::string& word, const Settings& s) {
  std::optional<Identity> found;
  for (int place = 0; place < s.devices; ++place) {
    if (word == std::to_string(place)) return Identity{.place = place};
    for (int instance = 0; instance < s.instances; ++instance) {
      const Identity part{.place = place, .instance = instance};
      if (word == uuid_text(part)) return part;
    }
    if (word.starts_with("GPU-") && uuid_text({.place = place}).starts_with(word)) {
      if (found) return std::nullopt;
      found = Identity{.place = place};
    }
  }
  return found;
}

/// As CUDA reads CUDA_VISIBLE_DEVICES: the list ends before the first word that means no device.
std::vector<Identity> named_devices(const Settings& s) {
  std::vector<Identity> all;
  if (!s.visible) {
    for (int place = 0; place < s.devices; ++place) all.push_back({.place = place});
    return all;
  }
  std::istringstream words(*s.visible);
  for (std::string word; std::getline(words, word, ',');) {
    const auto named = named_by(word, s);
    if (!named) break;
    // a device twice: none is visible
    if (std::ranges::find(all, *named) != all.end()) return {};
    all.push_back(*named);
  }
  return all;
}

/// Of divided devices, one instance is visible: the first.
std::vector<Identity> visible_devices(const Settings& s) {
  std::vector<Identity> all = named_devices(s);
  if (s.instances == 0 || all.empty()) return all;
  all.resize(1);
  if (!all[0].instance) all[0].instance = 0;
  return all;
}

/// Bytes of a device, or of one of its equal instances.
std::size_t memory_of(const Identity& device) {
  const Settings& s = settings();
  return device.instance ? s.memory / static_cast<std::size_t>(s.instances) : s.memory;
}

/// Waits a random time before each piece of work, if the settings ask for it.
std::function<void()> delays(std::uint64_t salt) {
  const Settings& s = settings();
  if (!s.delay_seed || s.longest_delay_ns == 0) return [] {};
  std::seed_seq seed{*s.delay_seed, salt};
  return [generator = std::mt19937_64(seed), longest = s.longest_delay_ns]() mutable {
    std::this_thread::sleep_for(std::chrono::nanoseconds(generator() % longest));
  };
}

}  // namespace

Device::Device(Identity identity) : identity_(identity) {}

cudaDeviceProp Device::properties() const {
  cudaDeviceProp p{};
  std::snprintf(p.name, sizeof p.name, "%s", kDeviceName);
  std::memcpy(p.uuid.bytes, uuid(identity_).data(), sizeof p.uuid.bytes);
  p.totalGlobalMem = memory_of(identity_);
  p.warpSize = 32;
  p.maxThreadsPerBlock = 1024;
  p.maxThreadsPerMultiProcessor = 2048;
  p.multiProcessorCount = kMultiprocessors;
  p.major = settings().compute_capability;
  p.canMapHostMemory = p.unifiedAddressing = p.managedMemory = p.concurrentManagedAccess = 1;
  p.concurrentKernels = p.hostRegisterSupported = p.canUseHostPointerForRegisteredMem = 1;
  p.asyncEngineCount = 3;
  const PciAddress address = pci_address(place());
  p.pciDomainID = static_cast<int>(address.domain);
  p.pciBusID = static_cast<int>(address.bus);
  return p;
}

std::string Device::pci_bus_id() const { return text_of(pci_address(place())); }

std::shared_ptr<Queue> Device::start_queue(std::uint64_t number) {
  return Queue::start(delays(1000 * static_cast<std::uint64_t>(place()) + number));
}

Device::Context& Device::context() {
  if (!context_) {
    context_ = std::make_unique<Context>(memory_of(identity_));
    for (std::size_t i = 0; i < devices().size(); ++i) {
      if (devices()[i] == this) number_ = static_cast<int>(i);
    }
    context_->legacy = std::make_shared<Stream>(
        Stream{.device = number_, .is_legacy = true, .queue = start_queue(0), .capture = nullptr});
  }
  return *context_;
}

bool Device::has_context() {
  const std::lock_guard lock(mutex_);
  return context_ != nullptr;
}

DeviceMemory& Device::memory() {
  const std::lock_guard lock(mutex_);
  return context().memory;
}

std::shared_ptr<Stream> Device::legacy_stream() {
  const std::lock_guard lock(mutex_);
  return context().legacy;
}

std::shared_ptr<Stream> Device::make_stream(bool blocking) {
  const std::lock_guard lock(mutex_);
  Context& c = context();
  c.streams.push_back(std::make_shared<Stream>(Stream{.device = number_,
                                                      .blocking = blocking,
                                                      .queue = start_queue(++c.made),
                                                      .capture = nullptr}));
  return c.streams.back();
}

void Device::remove_stream(const std::shared_ptr<Stream>& stream) {
  const std::lock_guard lock(mutex_);
  std::erase(context().streams, stream);
  context().leaving.emplace_back(stream->blocking, stream->queue->last());
  stream->queue->close();
}

std::vector<std::shared_ptr<Stream>> Device::streams() {
  const std::lock_guard lock(mutex_);
  if (!context_) return {};
  return context_->streams;
}

std::vector<Marker> Device::ends(bool blocking) {
  const std::lock_guard lock(mutex_);
  Context& c = context();
  std::erase_if(c.leaving, [](const auto& one) { return one.second.is_done(); });
  std::vector<Marker> result;
  for (const auto& [was_blocking, end] : c.leaving) {
    if (was_blocking || !blocking) result.push_back(end);
  }
  for (const auto& stream : c.streams) {
    if (stream->blocking || !blocking) result.push_back(stream->queue->last());
  }
  return result;
}

void Device::drain() {
  legacy_stream()->queue->last().wait();
  for (const Marker& end : ends(false)) end.wait();
}

void Device::break_down(cudaError_t code) {
  int none = cudaSuccess;
  sticky_.compare_exchange_strong(none, code);
}

bool Device::loads(const void* kernel) {
  const std::lock_guard lock(mutex_);
  return context().loaded.insert(kernel).second;
}

bool Device::enable_peer(int index) {
  const std::lock_guard lock(mutex_);
  return context().peers.insert(index).second;
}

bool Device::disable_peer(int index) {
  const std::lock_guard lock(mutex_);
  return context().peers.erase(index) == 1;
}

bool Device::reaches(int index) {
  const std::lock_guard lock(mutex_);
  return index == number_ || context().peers.contains(index);
}

std::vector<Device*>& devices() {
  static std::vector<Device*>& all = *[] {
    auto* made = new std::vector<Device*>;
    for (const Identity& one : visible_devices(settings())) made->push_back(new Device(one));
    return made;
  }();
  return all;
}

Device& device_at(int index) {
  require(index >= 0 && static_cast<std::size_t>(index) < devices().size(), cudaErrorInvalidDevice);
  return *devices()[static_cast<std::size_t>(index)];
}

int current_index() { return current; }
void set_current(int index) { current = index; }

}  // namespace scalemark::software_gpu
