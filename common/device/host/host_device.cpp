// SPDX-License-Identifier: Apache-2.0
// The host as a device: all work is done when a call returns.
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "common/base/clock.hpp"
#include "common/base/error.hpp"
#include "common/device/device.hpp"
#include "common/device/host/host_memory.hpp"

namespace scalemark::device {
namespace {

class HostStream final : public Stream {
 public:
  void synchronize() override {}
  void* native() const override { return nullptr; }
};

class HostEvent final : public Event {
 public:
  void record(Stream&) override { time_ns_ = now_ns(); }
  void synchronize() override {}
  double seconds_since(const Event& start) const override {
    const auto& other = dynamic_cast<const HostEvent&>(start);
    return 1e-9 * (static_cast<double>(time_ns_) - static_cast<double>(other.time_ns_));
  }

 private:
  std::uint64_t time_ns_ = 0;
};

class HostDevice final : public Device {
 public:
  DeviceKind kind() const override { return DeviceKind::cpu; }
  int index() const override { return 0; }
  std::string name() const override { return "host"; }
  std::string uuid() const override { return {}; }
  std::string pci_bus_id() const override { return {}; }

  std::string why_not(MemoryKind kind) const override {
    if (kind == MemoryKind::pageable) return {};
    if (kind == MemoryKind::huge_pages) return why_no_huge_pages();
    return fmt::format("{} memory needs a CUDA device", to_string(kind));
  }
  bool is_device_memory(const void*) const override { return false; }

  Buffer allocate(std::size_t bytes, MemoryKind kind, int numa_node) override {
    const std::string why = why_not(kind);
    if (!why.empty()) throw Unavailable(why);
    return allocate_host(bytes, kind, numa_node);
  }
  std::size_t free_memory() const override { return free_host_memory(); }

  void make_current() override {}
  std::unique_ptr<Stream> make_stream() override { return std::make_unique<HostStream>(); }
  std::unique_ptr<Event> make_event() override { return std::make_unique<HostEvent>(); }
  void copy(void* to, const void* from, std::size_t bytes, Stream&) override {
    std::memcpy(to, from, bytes);
  }
  void copy_by_kernel(void*, const void*, std::size_t, Stream&) override {
    throw Unavailable("the host copies by itself, not by a device's threads");
  }
  void prefetch(const void*, std::size_t, bool, Stream&) override {
    throw Unavailable("the host has no managed memory");
  }
  void synchronize() override {}
};

}  // namespace

std::unique_ptr<Device> make_host_device() { return std::make_unique<HostDevice>(); }

}  // namespace scalemark::device
